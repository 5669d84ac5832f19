#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/llama_family.h"

namespace portatune::models {
namespace {

struct Qwen3Config : LlamaFamilyConfig {
  nn::LinearOptions attention{.bias = false};
};

Qwen3Config qwen3_config(const ConfigReader& config) {
  Qwen3Config c{llama_family_config(config, {.vocab_size = 151936,
                                             .intermediate_size = 22016,
                                             .num_key_value_heads = 32,
                                             .head_dim = 128,
                                             .max_position_embeddings = 32768,
                                             .body_for_answers = "transformer"})};
  config.read("attention_bias", c.attention.bias);
  c.windows = qwen_windows(config, c.num_hidden_layers);
  return c;
}

class Qwen3 final : public LlamaFamily {
 public:
  explicit Qwen3(const Qwen3Config& c) : LlamaFamily(c), c_(c) {}

 private:
  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const nn::HeadsOfDevice heads = normed_heads(s, c_, project_heads(s, c_, x, c_.attention));
    const Value attended = rotary_attention(s, heads, in);
    return linear(s / "o_proj", attended, c_.hidden_size, rows(c_.attention));
  }

  Qwen3Config c_;
};

}  // namespace

std::unique_ptr<TextModel> qwen3(const io::JsonObject& config) {
  const Qwen3Config c = qwen3_config(config);
  return llama_family_model("Qwen3", c, std::make_unique<Qwen3>(c));
}

}  // namespace portatune::models
