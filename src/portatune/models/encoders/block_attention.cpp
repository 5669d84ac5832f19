#include "portatune/models/encoders/block_attention.h"

#include <limits>

#include "portatune/error.h"
#include "portatune/graph/ops/attention/block_sparse_attention.h"
#include "portatune/models/encoders/big_bird_blocks.h"
#include "portatune/models/one_text_per_row.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr double kHiddenKey = -10000;  // bias of a key that block-sparse attention hides, as in transformers

// x [batch, length, ...], padded with zeros to whole blocks.
Value whole_blocks(const Value& x, int64_t block_size) {
  const int64_t rest = x.shape()[1] % block_size;
  return rest == 0 ? x : pad(x, 1, 0, block_size - rest);
}

// The random blocks of a layer's heads on this device, int32 [heads, blocks - 2, num_random_blocks].
Value blocks_of_device(const Scope& s, const BlockAttentionFields& c, int64_t all_heads, int64_t length,
                       int64_t layer) {
  const std::vector<int32_t> drawn = random_blocks({.heads = all_heads,
                                                    .length = length,
                                                    .block_size = c.block_size,
                                                    .num_random_blocks = c.num_random_blocks,
                                                    .max_position_embeddings = c.max_position_embeddings,
                                                    .seed = static_cast<uint32_t>(layer)});
  const Value of_all =
      constant(Tensor({all_heads, length / c.block_size - 2, c.num_random_blocks}, std::span<const int32_t>(drawn)));
  const int64_t heads = nn::share(s, "attention heads", all_heads);
  if (heads == all_heads) return of_all;
  const Value device = place_of_device(s.options().mesh, {MeshAxis::kTensor});
  return dynamic_slice(of_all, 0, device * static_cast<double>(heads), heads);
}

}  // namespace

BlockAttentionFields block_attention_fields(const ConfigReader& config, int64_t max_position_embeddings) {
  BlockAttentionFields c{.max_position_embeddings = max_position_embeddings};
  config.read("attention_type", c.attention_type);
  config.read("block_size", c.block_size, kSize);
  config.read("num_random_blocks", c.num_random_blocks, {1, 1024});
  if (c.attention_type != "block_sparse" && c.attention_type != "original_full") {
    throw CheckpointError({.where = "config.json, attention_type",
                           .given = "\"" + c.attention_type + "\"",
                           .expected = "\"block_sparse\" or \"original_full\""});
  }
  return c;
}

int64_t BlockAttentionFields::max_padded_length(int64_t tokens) const {
  if (attention_type != "block_sparse") return std::numeric_limits<int64_t>::max();
  if (!is_sparse(tokens)) return max_full_length();
  return (tokens + block_size - 1) / block_size * block_size;  // A further block would be the last one, which all see.
}

BlockAttention::BlockAttention(const std::string& class_prefix, const BlockAttentionFields& c, const TextInputs& in)
    : c_(c), is_sparse_(c.is_sparse(in.input_ids.shape()[1])) {
  if (in.packed) throw one_text_per_row(class_prefix);
  if (!is_sparse_) {
    mask_ = mask_of(in);
    return;
  }
  mask_ = whole_blocks(in.attention_mask ? in.attention_mask : full(in.input_ids.type(), 1), c.block_size);
}

Value BlockAttention::operator()(const Scope& s, int64_t layer, const nn::HeadsOfDevice& heads) const {
  return is_sparse_ ? sparse(s, layer, heads) : attention(s, heads, mask_);
}

Value BlockAttention::sparse(const Scope& s, int64_t layer, const nn::HeadsOfDevice& heads) const {
  const Shape& shape = mask_.shape();
  const Value is_token = convert(mask_, DType::kFloat32);
  const Value bias = reshape((1.0 - is_token) * kHiddenKey, {shape[0], 1, 1, shape[1]});
  BlockSparseOptions options{.heads = heads.options.heads, .block_size = c_.block_size, .scale = heads.options.scale};
  Value random;
  if (s.options().training) {
    options.random_blocks = c_.num_random_blocks;
    random = blocks_of_device(s, c_, heads.options.dropout_heads, shape[1], layer);
  } else {
    options.first_again = c_.num_random_blocks;  // In evaluation transformers takes block 0 for all random ones.
  }
  const auto padded = [&](const Value& x) { return whole_blocks(x, c_.block_size); };
  const Value attended =
      block_sparse_attention(padded(heads.q), padded(heads.k), padded(heads.v), bias, random, options);
  const Value of_tokens = attended * convert(expand_dims(is_token, -1), attended.dtype());
  const int64_t length = heads.q.shape()[1];
  return length == shape[1] ? of_tokens : slice(of_tokens, 1, {0, length});
}

}  // namespace portatune::models
