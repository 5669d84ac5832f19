#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/llama_family.h"

namespace portatune::models {
namespace {

LlamaFamilyConfig mistral_config(const ConfigReader& config) {
  LlamaFamilyConfig c = llama_family_config(config, {.intermediate_size = 14336,
                                                     .num_key_value_heads = 8,
                                                     .max_position_embeddings = 4096 * 32,
                                                     .body_for_answers = "model"});
  if (config.type_of("sliding_window") != "null") {
    c.windows.assign(static_cast<size_t>(c.num_hidden_layers), config.get_int_or("sliding_window", 4096, {1, 1 << 30}));
  }
  return c;
}

class Mistral final : public LlamaFamily {
 public:
  explicit Mistral(const LlamaFamilyConfig& c) : LlamaFamily(c), c_(c) {}

 private:
  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const Value attended = rotary_attention(s, project_heads(s, c_, x, {.bias = false}), in);
    return linear(s / "o_proj", attended, c_.hidden_size, nn::rows({.bias = false}));
  }

  LlamaFamilyConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> mistral(const io::JsonObject& config) {
  const LlamaFamilyConfig c = mistral_config(config);
  return llama_family_model("Mistral", c, std::make_unique<Mistral>(c));
}

}  // namespace portatune::models
