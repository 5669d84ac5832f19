#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/llama_family.h"

namespace portatune::models {
namespace {

LlamaFamilyConfig qwen2_config(const ConfigReader& config) {
  config.ignore({"use_mrope"});  // positions of images, which these models do not have
  LlamaFamilyConfig c = llama_family_config(config, {.vocab_size = 151936,
                                                     .intermediate_size = 22016,
                                                     .num_key_value_heads = 32,
                                                     .max_position_embeddings = 32768,
                                                     .body_for_answers = "transformer"});
  c.windows = qwen_windows(config, c.num_hidden_layers);
  return c;
}

class Qwen2 final : public LlamaFamily {
 public:
  explicit Qwen2(const LlamaFamilyConfig& c) : LlamaFamily(c), c_(c) {}

 private:
  // Only queries, keys and values have biases.
  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const Value attended = rotary_attention(s, project_heads(s, c_, x, {}), in);
    return linear(s / "o_proj", attended, c_.hidden_size, nn::rows({.bias = false}));
  }

  LlamaFamilyConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> qwen2(const io::JsonObject& config) {
  const LlamaFamilyConfig c = qwen2_config(config);
  return llama_family_model("Qwen2", c, std::make_unique<Qwen2>(c));
}

}  // namespace portatune::models
