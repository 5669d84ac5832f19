#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/decoders/decoder_heads.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr double kLayerNormEps = 1e-5;
constexpr int64_t kPositionOffset = 2;  // the first two rows of the position embeddings do not belong to tokens

// The fields of config.json that determine the computation, with their names there.
struct OptConfig {
  int64_t vocab_size = 50272;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t ffn_dim = 3072;
  int64_t max_position_embeddings = 2048;
  bool do_layer_norm_before = true;
  bool _remove_final_layer_norm = false;
  int64_t word_embed_proj_dim = 0;  // default: hidden_size
  double dropout = 0.1;
  double attention_dropout = 0.0;
  int64_t num_attention_heads = 12;
  std::string activation_function = "relu";
  double init_std = 0.02;
  int64_t pad_token_id = 1;
  bool enable_bias = true;
  bool layer_norm_elementwise_affine = true;
  bool tie_word_embeddings = true;

  nn::LinearOptions bias() const { return {.bias = enable_bias}; }
};

Value norm(const Scope& s, const OptConfig& c, const Value& x) {
  if (c.layer_norm_elementwise_affine) return layer_norm(s, x, kLayerNormEps);
  const TensorType size{DType::kFloat32, {x.shape().back()}};
  return portatune::layer_norm(x, full(size, 1), full(size, 0), kLayerNormEps);
}

// Positions 0, 1, 2, ... count only tokens; padding has no position.
Value position_ids(const TextInputs& in) {
  if (in.position_ids) return in.position_ids;
  return cumulative_sum(in.attention_mask) * in.attention_mask - full({DType::kInt32, {}}, 1);
}

// Word embeddings, projected to the width of the layers if it differs, plus position embeddings.
Value embed(const Scope& s, const OptConfig& c, const TextInputs& in) {
  Value words = word_embedding(s / "embed_tokens", in.input_ids, c.vocab_size, c.word_embed_proj_dim, c.pad_token_id);
  if (c.word_embed_proj_dim != c.hidden_size) {
    words = linear(s / "project_in", words, c.hidden_size, {.bias = false});
  }
  const Value positions = position_ids(in) + full({DType::kInt32, {}}, kPositionOffset);
  return words +
         embedding(s / "embed_positions", positions, c.max_position_embeddings + kPositionOffset, c.hidden_size);
}

Value self_attention(const Scope& s, const OptConfig& c, int64_t layer, const Value& x, const DecoderPass& pass) {
  const nn::HeadsOfDevice heads = project(s, x,
                                          {.heads = c.num_attention_heads,
                                           .head_size = c.hidden_size / c.num_attention_heads,
                                           .dropout = c.attention_dropout,
                                           .query = "q_proj",
                                           .key = "k_proj",
                                           .value = "v_proj",
                                           .linear = c.bias()});
  return linear(s / "out_proj", causal_attention(s, pass, layer, heads), c.hidden_size, rows(c.bias()));
}

Value feed_forward(const Scope& s, const OptConfig& c, const Value& x) {
  const Value expanded = linear(s / "fc1", x, c.ffn_dim, columns(c.bias()));
  return linear(s / "fc2", nn::activate(c.activation_function, expanded), c.hidden_size, rows(c.bias()));
}

// Each half is x + f(norm(x)), or norm(x + f(x)) as in opt-350m.
Value decoder_layer(const Scope& s, const OptConfig& c, int64_t layer, const Value& x, const DecoderPass& pass) {
  const auto half = [&](const Scope& norm_scope, const Value& in, const auto& f) {
    const Value out = f(c.do_layer_norm_before ? norm(norm_scope, c, in) : in);
    const Value sum = in + dropout(norm_scope, out, c.dropout);
    return c.do_layer_norm_before ? sum : norm(norm_scope, c, sum);
  };
  const Value h = half(s / "self_attn_layer_norm", x,
                       [&](const Value& y) { return self_attention(s / "self_attn", c, layer, y, pass); });
  return half(s / "final_layer_norm", h, [&](const Value& y) { return feed_forward(s, c, y); });
}

OptConfig opt_config(const ConfigReader& config) {
  config.get_float_or("layerdrop", 0, {0, 0});  // dropping whole layers is not supported
  config.ignore({"activation_dropout", "prefix", "use_cache"});
  OptConfig c;
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("hidden_size", c.hidden_size, kSize);
  config.read("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.read("ffn_dim", c.ffn_dim, {1, 1 << 22});
  config.read("max_position_embeddings", c.max_position_embeddings, kSize);
  config.read("do_layer_norm_before", c.do_layer_norm_before);
  config.read("_remove_final_layer_norm", c._remove_final_layer_norm);
  c.word_embed_proj_dim = c.hidden_size;
  config.read("word_embed_proj_dim", c.word_embed_proj_dim, kSize);
  config.read("dropout", c.dropout, kRate);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("num_attention_heads", c.num_attention_heads, kSize);
  config.read_activation("activation_function", c.activation_function);
  config.read("init_std", c.init_std, kDeviation);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  config.read("enable_bias", c.enable_bias);
  config.read("layer_norm_elementwise_affine", c.layer_norm_elementwise_affine);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  return c;
}

TextModelFacts facts_of(const OptConfig& c) {
  return {.class_prefix = "OPT",
          .base_prefix = "model",
          .vocab_size = c.vocab_size,
          .hidden_size = c.word_embed_proj_dim,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.init_std};
}

class Opt final : public LayeredDecoder {
 public:
  explicit Opt(const OptConfig& c) : LayeredDecoder(c.num_hidden_layers, c.hidden_size), c_(c) {}

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    const Scope s = root / "model" / "decoder";
    Values x{embed(s, c_, in)};
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      x.push_back(nn::remat(s, x.back(), decoder_layer(s / "layers" / i, c_, i, x.back(), pass)));
    }
    if (c_.do_layer_norm_before && !c_._remove_final_layer_norm) x.back() = norm(s / "final_layer_norm", c_, x.back());
    if (c_.word_embed_proj_dim != c_.hidden_size) {
      x.back() = linear(s / "project_out", x.back(), c_.word_embed_proj_dim, {.bias = false});
    }
    return x;
  }

  OptConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> opt(const io::JsonObject& config) {
  const OptConfig c = opt_config(config);
  const LmDecoder lm{"model.decoder.embed_tokens.weight", c.tie_word_embeddings, c.vocab_size};
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<Opt>(c),
                                     Heads{{HeadKind::kSequenceClassification, score_of_last_token(c.pad_token_id)},
                                           {HeadKind::kTokenClassification, token_classification(0)},
                                           {HeadKind::kQuestionAnswering, question_answering()},
                                           {HeadKind::kCausalLM, next_token(lm)}});
}

}  // namespace portatune::models
