// Batches of prompts with few different shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "portatune/generate/programs.h"
#include "portatune/tensor.h"

namespace portatune::generate {

using Ids = std::vector<int32_t>;

/// The smallest power of two that is not below a number.
int64_t power_of_two(int64_t at_least);

/// The prompts of one batch.
struct Batch {
  std::vector<size_t> prompts;  ///< indices among all prompts
  Sizes sizes;
};

/// Limits of batches.
struct BatchLimits {
  int64_t batch_size;   ///< prompts on each device
  int64_t max_length;   ///< tokens of a prompt, with padding
  int64_t devices = 1;  ///< number of devices that divide each batch
  /// Positions of a text before its first new token; none: those of its prompt, which it continues.
  std::optional<int64_t> first = {};
  /// The largest length to which a batch may be padded, from the tokens of its longest prompt; absent: max_length.
  std::function<int64_t(int64_t)> max_padded_length = {};
};

/// Distributes all prompts over batches of prompts of similar length. Lengths are powers of two from 16 up; the length
/// of prompts is at most max_length and max_padded_length. The number of prompts on a device is a power of two, except
/// in full batches.
/// new_tokens  maximal number of new tokens of each prompt
std::vector<Batch> make_batches(std::span<const Ids> prompts, std::span<const int64_t> new_tokens,
                                const BatchLimits& limits);

/// The prompts of a batch, padded on one side. Rows that only fill the batch consist of padding.
struct PaddedPrompts {
  Tensor ids;      ///< int32 [prompts, prompt]
  Tensor padding;  ///< int32 [prompts]
  Tensor numbers;  ///< uint32 [prompts]: indices among all prompts
};
enum class PaddingSide { kLeft, kRight };
PaddedPrompts pad(std::span<const Ids> prompts, const Batch& batch, int32_t pad_token_id, PaddingSide side);

}  // namespace portatune::generate
