#include "portatune/models/lm_head.h"

#include "portatune/ops.h"

namespace portatune::models {

using nn::Initializer;

namespace {

Value vocabulary_bias(const nn::Scope& s, const LmDecoder& decoder) {
  return s.parameter("bias", {decoder.vocab_size}, {Initializer::Kind::kZeros},
                     nn::vocabulary_split(s, decoder.vocab_size));
}

}  // namespace

Value vocabulary_weight(const nn::Scope& s, int64_t width, const LmDecoder& decoder) {
  if (decoder.tied) return s.tied_parameter("weight", decoder.embeddings).rounded;
  const Initializer normal{Initializer::Kind::kNormal, s.options().initializer_range};
  return s.rounded_parameter("weight", {decoder.vocab_size, width}, decoder.initializer.value_or(normal),
                             nn::vocabulary_split(s, decoder.vocab_size));
}

Value lm_logits(const nn::Scope& s, const Value& x, const Value& weight, const LmDecoder& decoder, const Value& bias) {
  Value logits = convert(linear(x, weight, bias), DType::kFloat32);
  if (decoder.softcap > 0) logits = tanh(logits / decoder.softcap) * decoder.softcap;
  if (weight.shape()[0] == decoder.vocab_size) return logits;
  return all_gather(logits, -1, s.options().mesh, {MeshAxis::kTensor});
}

Value lm_decoder(const nn::Scope& s, const Value& x, const LmDecoder& decoder) {
  const Value weight = vocabulary_weight(s / "decoder", x.shape().back(), decoder);
  const nn::Scope owner = decoder.tied ? s : s / "decoder", other = decoder.tied ? s / "decoder" : s;
  const Value bias = vocabulary_bias(owner, decoder);
  other.tied_parameter("bias", (owner / "bias").path());
  if (!decoder.tied) s.buffer("bias", {decoder.vocab_size}, {Initializer::Kind::kZeros});  // saved, but not used
  return lm_logits(s, x, weight, decoder, bias);
}

Value lm_projection(const nn::Scope& s, const Value& x, const LmDecoder& decoder) {
  const Value weight = vocabulary_weight(s, x.shape().back(), decoder);
  const Value bias = vocabulary_bias(s, decoder);
  return lm_logits(s, x, weight, decoder, bias);
}

}  // namespace portatune::models
