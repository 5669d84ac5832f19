#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/llama_family.h"

namespace portatune::models {
namespace {

struct Qwen3Config : LlamaFamilyConfig {
  nn::LinearOptions attention{.bias = false};
  std::vector<std::optional<int64_t>> windows;  // window of each layer
};

Qwen3Config qwen3_config(const ConfigReader& config) {
  Qwen3Config c{llama_family_config(config, {.vocab_size = 151936,
                                             .intermediate_size = 22016,
                                             .num_key_value_heads = 32,
                                             .head_dim = 128,
                                             .max_position_embeddings = 32768})};
  config.read("attention_bias", c.attention.bias);
  c.windows = sliding_windows(config, c.num_hidden_layers, 4096, 28);
  return c;
}

class Qwen3 final : public LlamaFamily {
 public:
  explicit Qwen3(const Qwen3Config& c) : LlamaFamily("Qwen3", c), c_(c) {}

 private:
  // RMSNorm within each head.
  Value normed_heads(const nn::Scope& s, const Value& x) const {
    const Shape& shape = x.shape();
    return reshape(rms_norm(s, reshape(x, {shape[0], shape[1], -1, c_.head_dim}), c_.rms_norm_eps), shape);
  }

  Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const override {
    const Value q = linear(s / "q_proj", x, c_.num_attention_heads * c_.head_dim, columns(c_.attention));
    const Value k = linear(s / "k_proj", x, c_.num_key_value_heads * c_.head_dim, columns(c_.attention));
    const Value v = linear(s / "v_proj", x, c_.num_key_value_heads * c_.head_dim, columns(c_.attention));
    const Values qkv{normed_heads(s / "q_norm", q), normed_heads(s / "k_norm", k), v};
    const Value attended = rotary_attention(s, c_, qkv, in, c_.windows[static_cast<size_t>(in.layer)]);
    return linear(s / "o_proj", attended, c_.hidden_size, rows(c_.attention));
  }

  Qwen3Config c_;
};

}  // namespace

std::unique_ptr<TextModel> qwen3(const io::JsonObject& config) { return std::make_unique<Qwen3>(qwen3_config(config)); }

}  // namespace portatune::models
