#include <cmath>

#include "portatune/models/architectures.h"
#include "portatune/models/decoders/gemma.h"

namespace portatune::models {
namespace {

using nn::Scope;

struct Gemma2Config : GemmaConfig {
  double query_pre_attn_scalar = 256;
  double attn_logit_softcapping = 0;  // 0: none
  bool norms_heads = false;           // whether queries and keys have norms, as in Gemma 3
};

// A bound of scores or logits; null: none.
void read_softcap(const ConfigReader& config, std::string_view key, double& softcap) {
  if (config.type_of(key) == "null") softcap = 0;
  config.read(key, softcap, {0, 1e6});
}

// What Gemma 2 and 3 share.
// defaults     values of absent fields
// full_layer   each layer with a number that is a multiple of it has full attention, by default
Gemma2Config gemma2_config(const ConfigReader& config, const Gemma2Config& defaults, int64_t full_layer) {
  Gemma2Config c = defaults;
  static_cast<GemmaConfig&>(c) = gemma_config(config, defaults);
  c.hidden_act = "gelu_pytorch_tanh";
  config.read_activation("hidden_activation", c.hidden_act);
  config.read("query_pre_attn_scalar", c.query_pre_attn_scalar, {1e-6, 1e6});
  read_softcap(config, "attn_logit_softcapping", c.attn_logit_softcapping);
  read_softcap(config, "final_logit_softcapping", c.final_logit_softcapping);
  c.windows = sliding_windows(config, c.num_hidden_layers, 4096,
                              [full_layer](int64_t layer) { return (layer + 1) % full_layer != 0; });
  return c;
}

// The sizes that both have by default.
Gemma2Config sizes(int64_t vocab_size, int64_t max_position_embeddings) {
  Gemma2Config c;
  c.vocab_size = vocab_size;
  c.hidden_size = 2304;
  c.intermediate_size = 9216;
  c.num_hidden_layers = 26;
  c.num_attention_heads = 8;
  c.num_key_value_heads = 4;
  c.head_dim = 256;
  c.max_position_embeddings = max_position_embeddings;
  return c;
}

class Gemma2 final : public LlamaFamily {
 public:
  explicit Gemma2(const Gemma2Config& c) : LlamaFamily(c), c_(c) {}

 private:
  // Each half of a layer has a norm before and after it.
  Value layer(const Scope& s, const Value& x, const LayerInputs& in) const override {
    const auto norm = [&](const char* name, const Value& y) { return rms_norm(s / name, y, c_.rms_norm_eps, c_.norm); };
    const Value attended = self_attention(s / "self_attn", norm("input_layernorm", x), in);
    const Value h = x + norm("post_attention_layernorm", attended);
    const Value fed = mlp(s / "mlp", norm("pre_feedforward_layernorm", h));
    return h + norm("post_feedforward_layernorm", fed);
  }

  Value self_attention(const Scope& s, const Value& x, const LayerInputs& in) const override {
    nn::HeadsOfDevice heads = project_heads(s, c_, x, c_.attention);
    if (c_.norms_heads) heads = normed_heads(s, c_, heads);
    heads.options.scale = 1 / std::sqrt(c_.query_pre_attn_scalar);
    heads.options.softcap = c_.attn_logit_softcapping;
    return linear(s / "o_proj", rotary_attention(s, heads, in), c_.hidden_size, rows(c_.attention));
  }

  Gemma2Config c_;
};

// The rotary positions of one kind of layers in "rope_parameters" or, in files from before transformers 5,
// "rope_scaling" of layers with full attention and the base `old_theta`.
RopeParameters rope_of(const ConfigReader& config, const char* layers, const char* old_theta, double theta,
                       int64_t max_position_embeddings) {
  RopeParameters defaults{.rope_theta = theta};
  config.read(old_theta, defaults.rope_theta, {1e-6, 1e12});
  const bool is_full = std::string_view(layers) == "full_attention";
  const auto all = config.get_object("rope_parameters"), scaling = config.get_object("rope_scaling");
  const auto rope = all ? all->get_object(layers) : is_full ? scaling : std::nullopt;
  return rope_parameters(config, rope, defaults, max_position_embeddings);
}

}  // namespace

std::unique_ptr<TextModel> gemma2(const io::JsonObject& config) {
  Gemma2Config defaults = sizes(256000, 8192);
  defaults.attn_logit_softcapping = 50;
  defaults.final_logit_softcapping = 30;
  const Gemma2Config c = gemma2_config(config, defaults, 2);
  return llama_family_model("Gemma2", c, std::make_unique<Gemma2>(c));
}

std::unique_ptr<TextModel> gemma3(const io::JsonObject& config) {
  Gemma2Config defaults = sizes(262208, 131072);
  defaults.norms_heads = true;
  config.ignore({"_sliding_window_pattern"});  // layer_types has its meaning
  const int64_t full_layer = config.get_int_or("sliding_window_pattern", 6, kLayers);
  Gemma2Config c = gemma2_config(config, defaults, full_layer);
  c.rope = rope_of(config, "full_attention", "rope_theta", 1e6, c.max_position_embeddings);
  c.sliding_rope = rope_of(config, "sliding_attention", "rope_local_base_freq", 1e4, c.max_position_embeddings);
  // The class for texts alone has another name than that of the language model; there is none for tokens.
  TextModelFacts facts = llama_family_facts("Gemma3Text", c);
  facts.causal_lm_class = "Gemma3ForCausalLM";
  Heads heads = llama_family_heads(c);
  heads.erase(HeadKind::kTokenClassification);
  return std::make_unique<TextModel>(facts, std::make_unique<Gemma2>(c), heads);
}

}  // namespace portatune::models
