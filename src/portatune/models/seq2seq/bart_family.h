// BART and its relatives, which differ in norms and positions.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "portatune/models.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/encoders/block_attention.h"
#include "portatune/models/seq2seq/cross_attention.h"

namespace portatune::models {

/// The sizes of the encoder or of the decoder.
struct BartStack {
  int64_t layers = 12;
  int64_t ffn_dim = 4096;
  int64_t attention_heads = 16;
  int64_t vocab_size = 50265;
};

/// The fields of config.json that determine the computation, with their names there.
struct BartConfig {
  // What config.json does not say.
  std::string class_prefix;
  bool norms_inputs = false;     ///< norms are before the parts of a layer and after each stack, not after the parts
  bool norms_embeddings = true;  ///< "layernorm_embedding"
  bool has_sinusoids = false;    ///< positions are sinusoids, else learned
  int64_t position_offset = 2;   ///< rows of learned positions before that of the first token
  std::string final_norm = "layer_norm";  ///< name of the norm after each stack
  bool starts_with_last_label = false;    ///< the decoder reads the last label first, a language; else the start token

  int64_t vocab_size = 50265;  ///< that of the encoder, and by default of the decoder
  int64_t max_position_embeddings = 1024;
  int64_t d_model = 1024;
  BartStack encoder = {}, decoder = {};  ///< encoder_layers, ..., decoder_attention_heads
  std::string activation_function = "gelu";
  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  double classifier_dropout = 0.0;
  double init_std = 0.02;
  bool scale_embedding = false;
  bool shares_embeddings = true;  ///< both stacks have one matrix of words
  bool ties_output = true;        ///< the weight of the logits is the matrix of the decoder's words
  bool attention_bias = true;     ///< the linear layers of attention have biases
  bool key_bias = true;           ///< so has that of the keys
  bool has_encoder = true;        ///< "is_encoder_decoder"; false: the decoder alone continues texts
  /// The encoder's attention is Big Bird's, with the names of its layers there; absent: full attention.
  std::optional<BlockAttentionFields> block_attention = {};
  Seq2SeqFacts facts = {.pad_token_id = 1, .eos_token_id = 2, .decoder_start_token_id = 2, .max_target = 0};
};

/// The defaults with the fields of config.json.
BartConfig bart_config(const ConfigReader& config, BartConfig defaults);

/// The body of these models, whose encoder and decoder are in "model".
class Bart : public Seq2Seq {
 public:
  explicit Bart(BartConfig c) : c_(std::move(c)) {}

  const Seq2SeqFacts& facts() const override { return c_.facts; }

  Values encoder_states(const nn::Scope& root, const TextInputs& source) const override;
  Values decoder_states(const nn::Scope& root, const TextInputs& target, const EncodedSource& source) const override;
  Value decoder_input_ids(const Value& labels, const Value& position_ids) const override;
  CrossCache cross_cache(const nn::Scope& root, const EncodedSource& source) const override;
  Value next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache, const CrossCache& source,
                          const Value& start) const override;
  KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const override;

 protected:
  const BartConfig& config() const { return c_; }
  /// x, the embeddings of sources without padding, and the outputs of the layers of `encoder`.
  Values encoder_layers(const nn::Scope& encoder, const Value& x) const;

 private:
  BartConfig c_;
};

/// The facts of a model with this body.
TextModelFacts bart_facts(const BartConfig& c);

/// A model with the heads for text to text and `more`; of a decoder alone, with that for causal language models.
std::unique_ptr<TextModel> bart_model(const BartConfig& c, Heads more = {});
/// A decoder without its encoder, with the head for causal language models.
/// lm_head  name of the weight of the logits
std::unique_ptr<TextModel> bart_decoder(BartConfig c, const std::string& lm_head = "lm_head");
/// The heads of BART and mBART for classification.
Heads bart_classification_heads(const BartConfig& c);

}  // namespace portatune::models
