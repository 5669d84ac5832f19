#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_heads.h"
#include "portatune/models/decoders/rotary_decoder.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that determine the computation, with their names there.
struct PhiConfig {
  int64_t vocab_size = 51200;
  int64_t hidden_size = 2048;
  int64_t intermediate_size = 8192;
  int64_t num_hidden_layers = 24;
  int64_t num_attention_heads = 32;
  int64_t num_key_value_heads = 0;  // default: num_attention_heads
  double resid_pdrop = 0;
  double embd_pdrop = 0;
  double attention_dropout = 0;
  double classifier_dropout = 0.1;
  std::string hidden_act = "gelu_new";
  int64_t max_position_embeddings = 2048;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-5;
  bool tie_word_embeddings = false;
  bool qk_layernorm = false;
  int64_t pad_token_id = -1;
  RopeParameters rope{.partial_rotary_factor = 0.5};

  int64_t head_size() const { return hidden_size / num_attention_heads; }
};

nn::HeadsOfDevice project_heads(const Scope& s, const PhiConfig& c, const Value& x) {
  nn::HeadsOfDevice heads = project(s, x,
                                    {.heads = c.num_attention_heads,
                                     .head_size = c.head_size(),
                                     .kv_heads = c.num_key_value_heads,
                                     .dropout = c.attention_dropout,
                                     .query = "q_proj",
                                     .key = "k_proj",
                                     .value = "v_proj"});
  if (!c.qk_layernorm) return heads;
  const auto normed = [&](const Scope& norm, const Value& of_heads) {
    return within_heads(of_heads, c.head_size(), [&](const Value& y) { return layer_norm(norm, y, c.layer_norm_eps); });
  };
  heads.q = normed(s / "q_layernorm", heads.q);
  heads.k = normed(s / "k_layernorm", heads.k);
  return heads;
}

Value self_attention(const Scope& s, const PhiConfig& c, const Value& x, const LayerInputs& in) {
  return linear(s / "dense", rotary_attention(s, project_heads(s, c, x), in), c.hidden_size, nn::rows());
}

Value mlp(const Scope& s, const PhiConfig& c, const Value& x) {
  const Value expanded = linear(s / "fc1", x, c.intermediate_size, nn::columns());
  return linear(s / "fc2", nn::activate(c.hidden_act, expanded), c.hidden_size, nn::rows());
}

// Attention and feed-forward layer read the same norm.
Value decoder_layer(const Scope& s, const PhiConfig& c, const Value& x, const LayerInputs& in) {
  const Value normed = layer_norm(s / "input_layernorm", x, c.layer_norm_eps);
  const Value attended = dropout(s, self_attention(s / "self_attn", c, normed, in), c.resid_pdrop);
  return x + attended + dropout(s, mlp(s / "mlp", c, normed), c.resid_pdrop);
}

PhiConfig phi_config(const ConfigReader& config) {
  PhiConfig c;
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("hidden_size", c.hidden_size, kSize);
  config.read("intermediate_size", c.intermediate_size, {1, 1 << 22});
  config.read("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.read("num_attention_heads", c.num_attention_heads, kSize);
  c.num_key_value_heads = c.num_attention_heads;
  config.read("num_key_value_heads", c.num_key_value_heads, kSize);
  config.read("resid_pdrop", c.resid_pdrop, kRate);
  config.read("embd_pdrop", c.embd_pdrop, kRate);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("hidden_dropout", c.classifier_dropout, kRate);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read_activation("hidden_act", c.hidden_act);
  config.read("max_position_embeddings", c.max_position_embeddings, {1, 1 << 30});
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("layer_norm_eps", c.layer_norm_eps, kEpsilon);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  config.read("qk_layernorm", c.qk_layernorm);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  c.rope = rope_parameters(config, c.rope, c.max_position_embeddings);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  require_multiple("num_attention_heads", c.num_attention_heads, "num_key_value_heads", c.num_key_value_heads);
  return c;
}

TextModelFacts facts_of(const PhiConfig& c) {
  return {.class_prefix = "Phi",
          .base_prefix = "model",
          .vocab_size = c.vocab_size,
          .hidden_size = c.hidden_size,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_range};
}

class Phi final : public LayeredDecoder {
 public:
  explicit Phi(const PhiConfig& c)
      : LayeredDecoder(c.num_hidden_layers, c.num_key_value_heads * c.head_size()), c_(c) {}

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    const Scope s = root / "model";
    const RopeTables rope = rope_tables(c_.rope, c_.head_size(), c_.max_position_embeddings, in, pass);
    const Value words =
        word_embedding(s / "embed_tokens", in.input_ids, c_.vocab_size, c_.hidden_size, c_.pad_token_id);
    Values x{dropout(s, words, c_.embd_pdrop)};
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      x.push_back(nn::remat(s, x.back(), decoder_layer(s / "layers" / i, c_, x.back(), {i, pass, rope})));
    }
    x.back() = layer_norm(s / "final_layernorm", x.back(), c_.layer_norm_eps);
    return x;
  }

  PhiConfig c_;
};

Value causal_lm(const Scope& root, const PhiConfig& c, const HeadInputs& in) {
  return lm_projection(root / "lm_head", in.x, {"model.embed_tokens.weight", c.tie_word_embeddings, c.vocab_size});
}

}  // namespace

std::unique_ptr<TextModel> phi(const io::JsonObject& config) {
  const PhiConfig c = phi_config(config);
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<Phi>(c),
                                     Heads{{HeadKind::kSequenceClassification, score_of_last_token(c.pad_token_id)},
                                           {HeadKind::kTokenClassification, score_of_tokens(c.classifier_dropout)},
                                           {HeadKind::kCausalLM, head_of(c, causal_lm)}});
}

}  // namespace portatune::models
