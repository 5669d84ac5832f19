#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_heads.h"
#include "portatune/models/decoders/rotary_decoder.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that determine the computation, with their names there.
struct GptNeoxConfig {
  int64_t vocab_size = 50432;
  int64_t hidden_size = 6144;
  int64_t num_hidden_layers = 44;
  int64_t num_attention_heads = 64;
  int64_t intermediate_size = 24576;
  std::string hidden_act = "gelu";
  double attention_dropout = 0;
  double hidden_dropout = 0;
  double classifier_dropout = 0.1;
  int64_t max_position_embeddings = 2048;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-5;
  bool use_parallel_residual = true;
  bool tie_word_embeddings = false;
  int64_t pad_token_id = -1;
  nn::LinearOptions attention = {};
  RopeParameters rope{.partial_rotary_factor = 0.25};

  int64_t head_size() const { return hidden_size / num_attention_heads; }
};

Value self_attention(const Scope& s, const GptNeoxConfig& c, const Value& x, const LayerInputs& in) {
  const Value qkv = linear(s / "query_key_value", x, 3 * c.hidden_size, columns(c.attention));
  const nn::HeadsOfDevice heads = split_projection_by_head(
      s, qkv, {.heads = c.num_attention_heads, .head_size = c.head_size(), .dropout = c.attention_dropout});
  return linear(s / "dense", rotary_attention(s, heads, in), c.hidden_size, rows(c.attention));
}

Value mlp(const Scope& s, const GptNeoxConfig& c, const Value& x) {
  const Value expanded = linear(s / "dense_h_to_4h", x, c.intermediate_size, nn::columns());
  return linear(s / "dense_4h_to_h", nn::activate(c.hidden_act, expanded), c.hidden_size, nn::rows());
}

// Both halves read x (parallel), or the second one reads the sum of x and the first.
Value decoder_layer(const Scope& s, const GptNeoxConfig& c, const Value& x, const LayerInputs& in) {
  const Value normed = layer_norm(s / "input_layernorm", x, c.layer_norm_eps);
  const Value h = x + dropout(s, self_attention(s / "attention", c, normed, in), c.hidden_dropout);
  const Value fed = layer_norm(s / "post_attention_layernorm", c.use_parallel_residual ? x : h, c.layer_norm_eps);
  return h + dropout(s, mlp(s / "mlp", c, fed), c.hidden_dropout);
}

GptNeoxConfig gpt_neox_config(const ConfigReader& config) {
  config.ignore({"is_decoder"});
  GptNeoxConfig c;
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("hidden_size", c.hidden_size, kSize);
  config.read("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.read("num_attention_heads", c.num_attention_heads, kSize);
  config.read("intermediate_size", c.intermediate_size, {1, 1 << 22});
  config.read_activation("hidden_act", c.hidden_act);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("hidden_dropout", c.hidden_dropout, kRate);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("max_position_embeddings", c.max_position_embeddings, {1, 1 << 30});
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("layer_norm_eps", c.layer_norm_eps, kEpsilon);
  config.read("use_parallel_residual", c.use_parallel_residual);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  config.read("attention_bias", c.attention.bias);
  // Names before transformers 5.
  config.read("rotary_emb_base", c.rope.rope_theta, {1e-6, 1e12});
  config.read("rotary_pct", c.rope.partial_rotary_factor, {1e-6, 1});
  c.rope = rope_parameters(config, c.rope, c.max_position_embeddings);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  return c;
}

TextModelFacts facts_of(const GptNeoxConfig& c) {
  return {.class_prefix = "GPTNeoX",
          .base_prefix = "gpt_neox",
          .vocab_size = c.vocab_size,
          .hidden_size = c.hidden_size,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_range};
}

class GptNeox final : public LayeredDecoder {
 public:
  explicit GptNeox(const GptNeoxConfig& c) : LayeredDecoder(c.num_hidden_layers, c.hidden_size), c_(c) {}

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    const Scope s = root / "gpt_neox";
    const RopeTables rope = rope_tables(c_.rope, c_.head_size(), c_.max_position_embeddings, in, pass);
    const Value words = word_embedding(s / "embed_in", in.input_ids, c_.vocab_size, c_.hidden_size);
    Values x{dropout(s, words, c_.hidden_dropout)};
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      x.push_back(nn::remat(s, x.back(), decoder_layer(s / "layers" / i, c_, x.back(), {i, pass, rope})));
    }
    x.back() = layer_norm(s / "final_layer_norm", x.back(), c_.layer_norm_eps);
    return x;
  }

  GptNeoxConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> gpt_neox(const io::JsonObject& config) {
  const GptNeoxConfig c = gpt_neox_config(config);
  const LmDecoder lm{"gpt_neox.embed_in.weight", c.tie_word_embeddings, c.vocab_size};
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<GptNeox>(c),
                                     Heads{{HeadKind::kSequenceClassification, score_of_last_token(c.pad_token_id)},
                                           {HeadKind::kTokenClassification, token_classification(c.classifier_dropout)},
                                           {HeadKind::kQuestionAnswering, question_answering()},
                                           {HeadKind::kCausalLM, next_token(lm, "embed_out")}});
}

}  // namespace portatune::models
