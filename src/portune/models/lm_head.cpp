#include "portune/models/lm_head.h"

#include "portune/ops.h"

namespace portune::models {

using nn::Initializer;

Value vocabulary_weight(const nn::Scope& s, int64_t width, const LmDecoder& decoder) {
  if (decoder.tied) return s.tied_parameter("weight", decoder.embeddings);
  return s.parameter("weight", {decoder.vocab_size, width},
                     {Initializer::Kind::kNormal, s.options().initializer_range});
}

Value lm_decoder(const nn::Scope& s, const Value& x, const LmDecoder& decoder) {
  const Value weight = vocabulary_weight(s / "decoder", x.shape().back(), decoder);
  const nn::Scope owner = decoder.tied ? s : s / "decoder";
  const Value bias = owner.parameter("bias", {decoder.vocab_size}, {Initializer::Kind::kZeros});
  if (decoder.tied) (s / "decoder").tied_parameter("bias", (s / "bias").path());
  return convert(linear(x, weight, bias), DType::kFloat32);
}

Value lm_projection(const nn::Scope& s, const Value& x, const LmDecoder& decoder) {
  const Value weight = vocabulary_weight(s, x.shape().back(), decoder);
  const Value bias = s.parameter("bias", {decoder.vocab_size}, {Initializer::Kind::kZeros});
  return convert(linear(x, weight, bias), DType::kFloat32);
}

}  // namespace portune::models
