// Prompts in batches of few shapes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "portatune/generate/programs.h"
#include "portatune/tensor.h"

namespace portatune::generate {

using Ids = std::vector<int32_t>;

/// The prompts that are read together: their numbers, and the sizes of their arrays.
struct Batch {
  std::vector<size_t> prompts;
  Sizes sizes;
};

/// All prompts in batches of at most `batch_size`, those of about the same length together. Lengths are powers of two
/// from 16 up, the longest prompt's being at most max_length; so are the numbers of prompts, but for full batches.
std::vector<Batch> make_batches(std::span<const Ids> prompts, int64_t batch_size, int64_t max_new_tokens,
                                int64_t max_length);

/// The prompts of a batch, padded on the left. Rows that only fill it are all padding.
struct PaddedPrompts {
  Tensor ids;      ///< int32 [prompts, prompt]
  Tensor padding;  ///< int32 [prompts]
  Tensor numbers;  ///< uint32 [prompts]: of the prompts among all
};
PaddedPrompts pad_left(std::span<const Ids> prompts, const Batch& batch, int32_t pad_token_id);

}  // namespace portatune::generate
