#include <algorithm>

#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/llama_family.h"

namespace portatune::models {
namespace {

struct SmolLm3Config : LlamaFamilyConfig {
  nn::LinearOptions attention{.bias = false}, mlp{.bias = false};
  std::vector<bool> rotates;  // false for a layer without positions ("NoPE")
};

// "no_rope_layers" has 0 for a layer without positions. If the file lacks it, each interval ends with such a layer.
std::vector<bool> rotating_layers(const ConfigReader& config, int64_t layers) {
  const int64_t interval = config.get_int_or("no_rope_layer_interval", 4, kLayers);
  const std::vector<int64_t> given = config.get_ints("no_rope_layers", {0, 1});
  std::vector<bool> rotates(given.begin(), given.end());
  if (given.empty()) {
    for (int64_t i = 0; i < layers; ++i) rotates.push_back((i + 1) % interval != 0);
  }
  if (std::ssize(rotates) < layers) {
    throw CheckpointError({.where = "config.json, no_rope_layers",
                           .given = std::to_string(given.size()) + " numbers for " + std::to_string(layers) + " layers",
                           .expected = "a number for each layer"});
  }
  return rotates;
}

SmolLm3Config smollm3_config(const ConfigReader& config) {
  SmolLm3Config c{llama_family_config(config, {.vocab_size = 128256,
                                               .hidden_size = 2048,
                                               .num_hidden_layers = 36,
                                               .num_attention_heads = 16,
                                               .num_key_value_heads = 4,
                                               .max_position_embeddings = 32768,
                                               .tie_word_embeddings = true,
                                               .pad_token_id = 128004,
                                               .rope = {.rope_theta = 2000000},
                                               .body_for_answers = "transformer"})};
  config.ignore({"max_window_layers"});  // layer_types and no_rope_layers have its meaning
  config.read("attention_bias", c.attention.bias);
  config.read("mlp_bias", c.mlp.bias);
  c.rotates = rotating_layers(config, c.num_hidden_layers);
  c.pad_token_id = std::min(c.pad_token_id, c.vocab_size - 1);
  c.windows = optional_windows(config, c.num_hidden_layers, {},
                               [&](int64_t layer) { return !c.rotates[static_cast<size_t>(layer)]; });
  return c;
}

class SmolLm3 final : public LlamaFamily {
 public:
  explicit SmolLm3(const SmolLm3Config& c) : LlamaFamily(c), c_(c) {}

 private:
  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const nn::HeadsOfDevice heads = project_heads(s, c_, x, c_.attention);
    const bool rotates = c_.rotates[static_cast<size_t>(in.layer)];
    const Value attended =
        rotates ? rotary_attention(s, heads, in) : causal_attention(s, in.pass, in.layer, heads, in.window);
    return linear(s / "o_proj", attended, c_.hidden_size, rows(c_.attention));
  }
  Value mlp(const nn::Scope& s, const Value& x) const override { return gated_mlp(s, c_, x, c_.mlp); }

  SmolLm3Config c_;
};

}  // namespace

std::unique_ptr<TextModel> smollm3(const io::JsonObject& config) {
  const SmolLm3Config c = smollm3_config(config);
  return llama_family_model("SmolLM3", c, std::make_unique<SmolLm3>(c));
}

}  // namespace portatune::models
