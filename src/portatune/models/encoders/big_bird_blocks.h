// The blocks of keys that Big Bird's queries see at random.
#pragma once

#include <cstdint>
#include <vector>

namespace portatune::models {

struct RandomBlocksOptions {
  int64_t heads;
  int64_t length;                   ///< tokens of a text, a multiple of block_size
  int64_t block_size;               ///< tokens of a block
  int64_t num_random_blocks;        ///< blocks that a query sees at random
  int64_t max_position_embeddings;  ///< longest text of the model
  uint32_t seed;                    ///< index of the layer
};

/// The random blocks that transformers draws in training, bit for bit: [heads, blocks of a text - 2,
/// num_random_blocks], for each head and each block of queries but the first and the last one. Texts have more than
/// 5 + 2 num_random_blocks blocks.
/// errors  UsageError if a query has fewer blocks to choose from
std::vector<int32_t> random_blocks(const RandomBlocksOptions& options);

/// The items in the order that numpy.random.seed(seed) and a first numpy.random.permutation(items) give them.
std::vector<int32_t> numpy_permutation(uint32_t seed, std::vector<int32_t> items);

}  // namespace portatune::models
