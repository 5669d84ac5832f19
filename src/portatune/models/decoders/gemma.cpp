#include "portatune/models/decoders/gemma.h"

#include <cmath>

#include "portatune/error.h"
#include "portatune/models/architectures.h"

namespace portatune::models {

GemmaConfig gemma_config(const ConfigReader& config, LlamaFamilyConfig defaults) {
  if (config.get_bool_or("use_bidirectional_attention", false)) {
    throw CheckpointError({.where = "config.json, use_bidirectional_attention",
                           .given = "true",
                           .expected = "false: Gemma is supported only as a decoder"});
  }
  defaults.hidden_act = "gelu_pytorch_tanh";
  defaults.tie_word_embeddings = true;
  defaults.pad_token_id = 0;
  defaults.norm = {.unit_offset = true};
  GemmaConfig c{llama_family_config(config, defaults)};
  c.embedding_factor = std::sqrt(static_cast<double>(c.hidden_size));
  config.read("attention_bias", c.attention.bias);
  return c;
}

namespace {

class Gemma final : public LlamaFamily {
 public:
  explicit Gemma(const GemmaConfig& c) : LlamaFamily(c), c_(c) {}

 private:
  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const Value attended = rotary_attention(s, project_heads(s, c_, x, c_.attention), in);
    return linear(s / "o_proj", attended, c_.hidden_size, rows(c_.attention));
  }

  GemmaConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> gemma(const io::JsonObject& config) {
  GemmaConfig c = gemma_config(config, {.vocab_size = 256000,
                                        .hidden_size = 3072,
                                        .intermediate_size = 24576,
                                        .num_hidden_layers = 28,
                                        .num_attention_heads = 16,
                                        .num_key_value_heads = 16,
                                        .head_dim = 256,
                                        .max_position_embeddings = 8192});
  config.ignore({"hidden_activation"});
  // The first files say "gelu", but the models were trained with its approximation.
  if (c.hidden_act == "gelu") c.hidden_act = "gelu_pytorch_tanh";
  return llama_family_model("Gemma", c, std::make_unique<Gemma>(c));
}

}  // namespace portatune::models
