#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/llama_family.h"

namespace portatune::models {
namespace {

struct LlamaConfig : LlamaFamilyConfig {
  nn::LinearOptions attention{.bias = false}, mlp{.bias = false};
};

LlamaConfig llama_config(const ConfigReader& config) {
  LlamaConfig c{llama_family_config(config, {.body_for_answers = "transformer"})};
  config.read("attention_bias", c.attention.bias);
  config.read("mlp_bias", c.mlp.bias);
  return c;
}

class Llama final : public LlamaFamily {
 public:
  explicit Llama(const LlamaConfig& c) : LlamaFamily(c), c_(c) {}

 private:
  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const Value attended = rotary_attention(s, project_heads(s, c_, x, c_.attention), in);
    return linear(s / "o_proj", attended, c_.hidden_size, rows(c_.attention));
  }
  Value mlp(const nn::Scope& s, const Value& x) const override { return gated_mlp(s, c_, x, c_.mlp); }

  LlamaConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> llama(const io::JsonObject& config) {
  const LlamaConfig c = llama_config(config);
  return llama_family_model("Llama", c, std::make_unique<Llama>(c));
}

}  // namespace portatune::models
