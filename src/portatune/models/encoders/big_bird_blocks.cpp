#include "portatune/models/encoders/big_bird_blocks.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "portatune/error.h"

namespace portatune::models {
namespace {

using Blocks = std::vector<int32_t>;

// The generator of numpy.random.seed().
using Generator = std::mt19937;

// A number from 0 to `largest`, the masked rejection of NumPy.
uint32_t interval(Generator& generator, uint32_t largest) {
  const uint32_t mask = std::bit_ceil(largest + 1) - 1;
  for (;;) {
    if (const uint32_t number = static_cast<uint32_t>(generator()) & mask; number <= largest) return number;
  }
}

// Fisher and Yates, from the end.
Blocks permutation(Generator& generator, Blocks items) {
  for (size_t i = items.size(); i-- > 1;) std::swap(items[i], items[interval(generator, static_cast<uint32_t>(i))]);
  return items;
}

// begin, begin + 1, ..., end - 1; empty if end <= begin.
Blocks range(int64_t begin, int64_t end) {
  Blocks blocks(static_cast<size_t>(std::max<int64_t>(end - begin, 0)));
  std::iota(blocks.begin(), blocks.end(), static_cast<int32_t>(begin));
  return blocks;
}

// The first num_random_blocks blocks of an order.
Blocks first_of(Blocks blocks, const RandomBlocksOptions& o) {
  if (std::ssize(blocks) < o.num_random_blocks) {
    throw UsageError({.where = "Big Bird with texts of " + std::to_string(o.length) + " tokens",
                      .given = std::to_string(o.num_random_blocks) + " random blocks of " +
                               std::to_string(o.block_size) + " tokens, from " + std::to_string(blocks.size()),
                      .expected = "at least as many blocks to choose from",
                      .fix = "choose another max_length, or a smaller block_size in config.json"});
  }
  blocks.resize(static_cast<size_t>(o.num_random_blocks));
  return blocks;
}

// _bigbird_block_rand_mask() of transformers, for one head: all queries of the longest text choose among the blocks
// before token kOldLimit. They may choose blocks that they see anyway.
constexpr int64_t kOldLengths[] = {1024, 3072, 4096}, kOldLimit = 1024;

Blocks candidates_of_old_row(int64_t row, int64_t rows, int64_t last) {
  const Blocks middle = range(1, rows - 1);
  const auto part = [&](int64_t begin, int64_t end) {
    const int64_t size = std::ssize(middle), from = std::min(begin, size), to = std::clamp(end, from, size);
    return Blocks(middle.begin() + from, middle.begin() + to);
  };
  if (row == 1) return part(2, last);
  if (row == 2) return part(3, last);
  if (row >= rows - 3) return part(0, last);
  const int64_t start = row - 2;
  if (start > last) return part(0, last);
  if (row + 1 == last) return part(0, start);
  Blocks candidates = part(0, start);
  const Blocks behind = part(row + 1, last);
  candidates.insert(candidates.end(), behind.begin(), behind.end());
  return candidates;
}

void append_old_head(Generator& generator, const RandomBlocksOptions& o, Blocks& blocks) {
  const int64_t rows = o.max_position_embeddings / o.block_size, kept = o.length / o.block_size - 1;
  const int64_t last = kOldLimit > 2 * o.block_size ? kOldLimit / o.block_size - 1 : rows - 1;
  for (int64_t row = 1; row < rows - 1; ++row) {
    const Blocks drawn = first_of(permutation(generator, candidates_of_old_row(row, rows, last)), o);
    if (row < kept) blocks.insert(blocks.end(), drawn.begin(), drawn.end());
  }
}

// _get_single_block_row_attention() of transformers: one of the first `choices` blocks, without those that the row sees
// anyway.
Blocks drawn_for_row(Generator& generator, int64_t row, int64_t choices, const RandomBlocksOptions& o) {
  Blocks blocks = permutation(generator, range(0, choices));
  std::erase_if(blocks, [&](int64_t block) {
    const bool is_seen = std::abs(block - row) <= 1 || block == 0 || block == choices - 1;
    return is_seen || (row == 1 && block == choices - 2) || (row == choices - 2 && block == 1);
  });
  return first_of(std::move(blocks), o);
}

}  // namespace

Blocks numpy_permutation(uint32_t seed, Blocks items) {
  Generator generator(seed);
  return permutation(generator, std::move(items));
}

Blocks random_blocks(const RandomBlocksOptions& o) {
  Generator generator(o.seed);
  Blocks blocks;
  if (std::ranges::find(kOldLengths, o.length) != std::end(kOldLengths)) {
    for (int64_t head = 0; head < o.heads; ++head) append_old_head(generator, o, blocks);
    return blocks;
  }
  // Of the plans of transformers, texts of so many blocks have the first one: all rows choose among as many blocks.
  const int64_t rows = o.length / o.block_size - 2, choices = 5 + 2 * o.num_random_blocks;
  blocks.resize(static_cast<size_t>(o.heads * rows * o.num_random_blocks));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t head = 0; head < o.heads; ++head) {
      const Blocks drawn = drawn_for_row(generator, row + 1, choices, o);
      std::ranges::copy(drawn, blocks.begin() + (head * rows + row) * o.num_random_blocks);
    }
  }
  return blocks;
}

}  // namespace portatune::models
