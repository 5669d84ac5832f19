#include <cmath>

#include "portatune/models/architectures.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/seq2seq/cross_attention.h"
#include "portatune/models/seq2seq/seq2seq_config.h"
#include "portatune/models/seq2seq/seq2seq_heads.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr double kLayerNormEps = 1e-5;
constexpr int64_t kPositionOffset = 2;  // the first two rows of the position embeddings do not belong to tokens

// The sizes of the encoder or of the decoder.
struct Stack {
  int64_t layers = 12;
  int64_t ffn_dim = 4096;
  int64_t attention_heads = 16;
};

// The fields of config.json that determine the computation, with their names there.
struct BartConfig {
  int64_t vocab_size = 50265;
  int64_t max_position_embeddings = 1024;
  int64_t d_model = 1024;
  Stack encoder, decoder;  // encoder_layers, ..., decoder_attention_heads
  std::string activation_function = "gelu";
  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  double classifier_dropout = 0.0;
  double init_std = 0.02;
  bool scale_embedding = false;
  Seq2SeqFacts facts = {.pad_token_id = 1, .eos_token_id = 2, .decoder_start_token_id = 2, .max_target = 0};

  nn::SelfAttention attention(const Stack& stack) const {
    return {.heads = stack.attention_heads,
            .head_size = d_model / stack.attention_heads,
            .dropout = attention_dropout,
            .query = "q_proj",
            .key = "k_proj",
            .value = "v_proj"};
  }
};

Value embed(const Scope& model, const Scope& s, const BartConfig& c, const TextInputs& in) {
  const Scope shared = model / "shared";
  Value words = word_embedding(shared, in.input_ids, c.vocab_size, c.d_model, c.facts.pad_token_id);
  (s / "embed_tokens").tied_parameter("weight", (shared / "weight").path());
  if (c.scale_embedding) words = words * std::sqrt(static_cast<double>(c.d_model));
  const Value positions = positions_of(in) + full({DType::kInt32, {}}, kPositionOffset);
  const Value x =
      words + embedding(s / "embed_positions", positions, c.max_position_embeddings + kPositionOffset, c.d_model);
  return dropout(s, layer_norm(s / "layernorm_embedding", x, kLayerNormEps), c.dropout);
}

// LayerNorm(x + Dropout(y)), the last step of each part of a layer.
Value add_and_norm(const Scope& norm, const BartConfig& c, const Value& x, const Value& y) {
  return layer_norm(norm, x + dropout(norm, y, c.dropout), kLayerNormEps);
}

Value feed_forward(const Scope& s, const BartConfig& c, int64_t ffn_dim, const Value& x) {
  const Value expanded = nn::activate(c.activation_function, linear(s / "fc1", x, ffn_dim, nn::columns()));
  return linear(s / "fc2", nn::dropout_of_part(s / "fc1", expanded, c.activation_dropout), c.d_model, nn::rows());
}

Value encoder_layer(const Scope& s, const BartConfig& c, const Value& x, const Value& mask) {
  const Scope attention = s / "self_attn";
  const Value attended = self_attention(attention, x, mask, c.attention(c.encoder));
  const Value h =
      add_and_norm(s / "self_attn_layer_norm", c, x, linear(attention / "out_proj", attended, c.d_model, nn::rows()));
  return add_and_norm(s / "final_layer_norm", c, h, feed_forward(s, c, c.encoder.ffn_dim, h));
}

Value decoder_layer(const Scope& s, const BartConfig& c, int64_t layer, const Value& x, const DecoderPass& pass,
                    const CrossPass& source) {
  const nn::SelfAttention a = c.attention(c.decoder);
  const Scope self = s / "self_attn", cross = s / "encoder_attn";
  const Value own = causal_attention(self, pass, layer, project(self, x, a));
  const Value h = add_and_norm(s / "self_attn_layer_norm", c, x, linear(self / "out_proj", own, c.d_model, nn::rows()));
  const Value read = cross_attention(cross, source, layer, h, a);
  const Value y =
      add_and_norm(s / "encoder_attn_layer_norm", c, h, linear(cross / "out_proj", read, c.d_model, nn::rows()));
  return add_and_norm(s / "final_layer_norm", c, y, feed_forward(s, c, c.decoder.ffn_dim, y));
}

void read_stack(const ConfigReader& config, const std::string& name, const BartConfig& c, Stack& stack) {
  config.get_float_or(name + "_layerdrop", 0, {0, 0});  // dropping whole layers is not supported
  config.read(name + "_layers", stack.layers, kLayers);
  config.read(name + "_ffn_dim", stack.ffn_dim, {1, 1 << 22});
  config.read(name + "_attention_heads", stack.attention_heads, kSize);
  require_multiple("d_model", c.d_model, name + "_attention_heads", stack.attention_heads);
}

BartConfig bart_config(const ConfigReader& config) {
  config.ignore({"add_bias_logits", "add_final_layer_norm", "classif_dropout", "normalize_before",
                 "normalize_embedding", "num_hidden_layers", "static_position_embeddings", "tie_word_embeddings"});
  BartConfig c;
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("max_position_embeddings", c.max_position_embeddings, kSize);
  config.read("d_model", c.d_model, kSize);
  read_stack(config, "encoder", c, c.encoder);
  read_stack(config, "decoder", c, c.decoder);
  config.read_activation("activation_function", c.activation_function);
  config.read("dropout", c.dropout, kRate);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("activation_dropout", c.activation_dropout, kRate);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("init_std", c.init_std, kDeviation);
  config.read("scale_embedding", c.scale_embedding);
  c.facts.max_target = c.max_position_embeddings;
  c.facts = seq2seq_facts(config, c.facts, c.vocab_size);
  return c;
}

TextModelFacts facts_of(const BartConfig& c) {
  return {.class_prefix = "Bart",
          .base_prefix = "model",
          .vocab_size = c.vocab_size,
          .hidden_size = c.d_model,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.init_std};
}

class Bart final : public Seq2Seq {
 public:
  explicit Bart(const BartConfig& c) : c_(c) {}

  const Seq2SeqFacts& facts() const override { return c_.facts; }

  Values encoder_states(const Scope& root, const TextInputs& source) const override {
    const Scope s = root / "model" / "encoder";
    const Value mask = mask_of(source);
    Values x{embed(root / "model", s, c_, source)};
    for (int64_t i = 0; i < c_.encoder.layers; ++i) {
      x.push_back(nn::remat(s, x.back(), encoder_layer(s / "layers" / i, c_, x.back(), mask)));
    }
    return x;
  }

  Values decoder_states(const Scope& root, const TextInputs& target, const EncodedSource& source) const override {
    return decode(root, target, decoder_pass(target), cross_pass(target, source));
  }

  CrossCache cross_cache(const Scope& root, const EncodedSource& source) const override {
    CrossCache cache{.layers = {}, .attention_mask = source.attention_mask};
    for (int64_t i = 0; i < c_.decoder.layers; ++i) {
      const auto [k, v] = project_keys_and_values(root / "model" / "decoder" / "layers" / i / "encoder_attn", source.x,
                                                  c_.attention(c_.decoder));
      cache.layers.keys.push_back(k);
      cache.layers.values.push_back(v);
    }
    return cache;
  }

  Value next_hidden_state(const Scope& root, const TextInputs& in, KeyValueCache& cache, const CrossCache& source,
                          const Value& start) const override {
    return decode(root, in, decoder_pass(in, &cache, start), cross_pass(source)).back();
  }

  KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const override {
    return zero_cache(c_.decoder.layers, {dtype, {batch, length, c_.d_model}});
  }

 private:
  Values decode(const Scope& root, const TextInputs& in, const DecoderPass& pass, const CrossPass& source) const {
    const Scope s = root / "model" / "decoder";
    Values x{embed(root / "model", s, c_, in)};
    for (int64_t i = 0; i < c_.decoder.layers; ++i) {
      x.push_back(nn::remat(s, x.back(), decoder_layer(s / "layers" / i, c_, i, x.back(), pass, source)));
    }
    return x;
  }

  BartConfig c_;
};

Value sequence_classification(const Scope& root, const BartConfig& c, const HeadInputs& in) {
  return classification_head(root, in, c.facts.eos_token_id, c.classifier_dropout);
}

Value seq2seq_lm(const Scope& root, const BartConfig& c, const HeadInputs& in) {
  const LmDecoder lm{"model.shared.weight", true, c.vocab_size};
  const Value logits = lm_logits(root, in.x, vocabulary_weight(root / "lm_head", c.d_model, lm), lm);
  return logits + reshape(root.buffer("final_logits_bias", {1, c.vocab_size}, {}), {c.vocab_size});
}

}  // namespace

std::unique_ptr<TextModel> bart(const io::JsonObject& config) {
  const BartConfig c = bart_config(config);
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<Bart>(c),
                                     Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
                                           {HeadKind::kQuestionAnswering, question_answering()},
                                           {HeadKind::kSeq2SeqLM, head_of(c, seq2seq_lm)}});
}

}  // namespace portatune::models
