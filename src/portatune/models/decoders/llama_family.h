// The common parts of Llama and later models: pre-norm layers with RMSNorm, rotary attention with grouped queries, and
// a gated feed-forward layer.
#pragma once

#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/rope.h"
#include "portatune/ops.h"

namespace portatune::models {

/// The fields of config.json that these models share, with their names there.
struct LlamaFamilyConfig {
  int64_t vocab_size = 32000;
  int64_t hidden_size = 4096;
  int64_t intermediate_size = 11008;
  int64_t num_hidden_layers = 32;
  int64_t num_attention_heads = 32;
  int64_t num_key_value_heads = 0;  ///< num_attention_heads if absent and 0 here
  int64_t head_dim = 0;             ///< hidden_size / num_attention_heads if absent and 0 here
  std::string hidden_act = "silu";
  int64_t max_position_embeddings = 2048;
  double initializer_range = 0.02;
  double rms_norm_eps = 1e-6;
  double attention_dropout = 0;
  double classifier_dropout = 0.1;
  bool tie_word_embeddings = false;
  int64_t pad_token_id = -1;
  RopeParameters rope;
};

/// Reads these fields; `defaults` are the values of absent ones. CheckpointError for a value out of range.
LlamaFamilyConfig llama_family_config(const ConfigReader& config, const LlamaFamilyConfig& defaults);

/// The sliding window of each layer, for models that have such layers; absent for a layer with full attention.
/// CheckpointError for an unknown kind of layer.
std::vector<std::optional<int64_t>> sliding_windows(const ConfigReader& config, int64_t layers, int64_t window,
                                                    int64_t max_window_layers);

/// Inputs of a layer besides x.
struct LayerInputs {
  int64_t layer;
  DecoderPass pass;
  RopeTables rope;
};

/// Queries, keys and values by "q_proj", "k_proj" and "v_proj".
nn::HeadsOfDevice project_heads(const nn::Scope& s, const LlamaFamilyConfig& c, const Value& x,
                                const nn::LinearOptions& options);
/// causal_attention() of the heads, rotated by their positions.
Value rotary_attention(const nn::Scope& s, const nn::HeadsOfDevice& heads, const LayerInputs& in,
                       std::optional<int64_t> window = {});

/// down(act(gate(x)) * up(x)). source: Shazeer 2020, arXiv:2002.05202
Value gated_mlp(const nn::Scope& s, const LlamaFamilyConfig& c, const Value& x, const nn::LinearOptions& options);

/// The body around a model's own layers.
class LlamaFamily : public Decoder {
 public:
  explicit LlamaFamily(const LlamaFamilyConfig& config) : c_(config) {}

  Values hidden_states(const nn::Scope& root, const TextInputs& in) const override;
  Value next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache,
                          const Value& start) const override;
  KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const override;

 protected:
  /// "self_attn" and "mlp" of a layer with the scope s.
  virtual Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const = 0;
  virtual Value mlp(const nn::Scope& s, const Value& x) const;

 private:
  Values run(const nn::Scope& s, const TextInputs& in, const DecoderPass& pass) const;
  Value layer(const nn::Scope& s, const Value& x, const LayerInputs& in) const;

  LlamaFamilyConfig c_;
};

/// The model of a body, with the heads that these models have in common. Not question answering: the body has another
/// name in that class of transformers.
std::unique_ptr<TextModel> llama_family_model(const std::string& class_prefix, const LlamaFamilyConfig& c,
                                              std::unique_ptr<const LlamaFamily> body);

}  // namespace portatune::models
