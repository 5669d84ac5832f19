// Self-attention of Big Bird's encoders: by blocks in long texts, full in shorter ones.
#pragma once

#include <string>

#include "portatune/models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// The fields of config.json that it depends on, with their names there.
struct BlockAttentionFields {
  std::string attention_type = "block_sparse";
  int64_t block_size = 64;
  int64_t num_random_blocks = 3;
  int64_t max_position_embeddings = 4096;  ///< the caller reads it

  /// True for texts of this length with attention by blocks. Shorter texts have full attention, as in transformers.
  bool is_sparse(int64_t length) const { return attention_type == "block_sparse" && length > max_full_length(); }
  int64_t max_full_length() const { return (5 + 2 * num_random_blocks) * block_size; }
  /// OneTextPerRow::max_padded_length().
  int64_t max_padded_length(int64_t tokens) const;
};
BlockAttentionFields block_attention_fields(const ConfigReader& config, int64_t max_position_embeddings);

/// The attention of all layers to a text. It pads queries, keys and values to whole blocks.
class BlockAttention {
 public:
  /// class_prefix  TextModelFacts::class_prefix of the model
  /// errors        UsageError for packed texts
  BlockAttention(const std::string& class_prefix, const BlockAttentionFields& c, const TextInputs& in);

  /// Attention of the heads of layer `layer`, [batch, seq, heads of the device * head_size]. Attention by blocks has no
  /// dropout of its weights, as in transformers.
  /// s  scope of the random key for dropout
  Value operator()(const nn::Scope& s, int64_t layer, const nn::HeadsOfDevice& heads) const;

 private:
  Value sparse(const nn::Scope& s, int64_t layer, const nn::HeadsOfDevice& heads) const;

  BlockAttentionFields c_;
  Value mask_;  // Of full attention: a bias; of attention by blocks: 1 for tokens, 0 for padding, in whole blocks.
  bool is_sparse_;
};

}  // namespace portatune::models
