// The common parts of Llama and later models: pre-norm layers with RMSNorm, rotary attention with grouped queries, and
// a gated feed-forward layer.
#pragma once

#include <functional>

#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/rotary_decoder.h"
#include "portatune/models/named_for_answers.h"
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
  std::optional<RopeParameters> sliding_rope = {};   ///< of layers with a sliding window; absent: rope
  std::vector<std::optional<int64_t>> windows = {};  ///< sliding window of each layer; empty: none
  nn::RmsNormOptions norm = {};
  double embedding_factor = 1;         ///< factor of the word embeddings
  double final_logit_softcapping = 0;  ///< LmDecoder::softcap
  /// Name of the body in the class for question answering; empty: transformers has no such class.
  std::string body_for_answers = {};
};

/// Reads these fields; `defaults` are the values of absent ones. CheckpointError for a value out of range.
LlamaFamilyConfig llama_family_config(const ConfigReader& config, const LlamaFamilyConfig& defaults);

/// The sliding window of each layer; absent for a layer with full attention.
/// window    its size if the file has none; absent: no layer has one then
/// slides    whether a layer has a window if the file lacks "layer_types"
/// errors    CheckpointError for an unknown kind of layer
std::vector<std::optional<int64_t>> sliding_windows(const ConfigReader& config, int64_t layers,
                                                    std::optional<int64_t> window,
                                                    const std::function<bool(int64_t layer)>& slides);
/// The same for models with "use_sliding_window": no layer has a window unless it is true.
std::vector<std::optional<int64_t>> optional_windows(const ConfigReader& config, int64_t layers,
                                                     std::optional<int64_t> window,
                                                     const std::function<bool(int64_t layer)>& slides);
/// optional_windows() of Qwen: layers from "max_window_layers" on have a window.
std::vector<std::optional<int64_t>> qwen_windows(const ConfigReader& config, int64_t layers);

/// Queries, keys and values by "q_proj", "k_proj" and "v_proj".
nn::HeadsOfDevice project_heads(const nn::Scope& s, const LlamaFamilyConfig& c, const Value& x,
                                const nn::LinearOptions& options);
/// The heads with RMSNorm within each query ("q_norm") and key ("k_norm").
nn::HeadsOfDevice normed_heads(const nn::Scope& s, const LlamaFamilyConfig& c, nn::HeadsOfDevice heads);

/// down(act(gate(x)) * up(x)). source: Shazeer 2020, arXiv:2002.05202
Value gated_mlp(const nn::Scope& s, const LlamaFamilyConfig& c, const Value& x, const nn::LinearOptions& options);

/// The body around a model's own layers.
class LlamaFamily : public LayeredDecoder, public NamedForAnswers {
 public:
  explicit LlamaFamily(const LlamaFamilyConfig& c)
      : LayeredDecoder(c.num_hidden_layers, c.num_key_value_heads * c.head_dim), c_(c) {}

  Values hidden_states_for_answers(const nn::Scope& root, const TextInputs& in) const override;

 protected:
  /// A layer with the scope s.
  virtual Value layer(const nn::Scope& s, const Value& x, const LayerInputs& in) const;
  /// "self_attn" and "mlp" of a layer, with their scopes s.
  virtual Value self_attention(const nn::Scope& s, const Value& x, const LayerInputs& in) const = 0;
  virtual Value mlp(const nn::Scope& s, const Value& x) const;

 private:
  Values run(const nn::Scope& root, const TextInputs& in, const DecoderPass& pass) const override;
  // The same with the scope s of the body.
  Values run_body(const nn::Scope& s, const TextInputs& in, const DecoderPass& pass) const;

  LlamaFamilyConfig c_;
};

/// The facts of a model, and the heads that these models have in common.
TextModelFacts llama_family_facts(const std::string& class_prefix, const LlamaFamilyConfig& c);
Heads llama_family_heads(const LlamaFamilyConfig& c);
/// The model of a body with these facts and heads.
std::unique_ptr<TextModel> llama_family_model(const std::string& class_prefix, const LlamaFamilyConfig& c,
                                              std::unique_ptr<const LlamaFamily> body);

}  // namespace portatune::models
