#include "portatune/generate/batches.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace portatune::generate {
namespace {

constexpr int64_t kMinLength = 16;

int64_t rounded_length(int64_t tokens) { return power_of_two(std::max(tokens, kMinLength)); }

}  // namespace

int64_t power_of_two(int64_t at_least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least))); }

std::vector<Batch> make_batches(std::span<const Ids> prompts, std::span<const int64_t> new_tokens,
                                const BatchLimits& limits) {
  std::vector<size_t> order(prompts.size());
  std::iota(order.begin(), order.end(), 0);
  const auto length_of = [&](size_t number) { return std::ssize(prompts[number]); };
  std::ranges::stable_sort(order, {}, length_of);
  std::vector<Batch> batches;
  const auto max_prompts = static_cast<size_t>(limits.batch_size * limits.devices);
  for (size_t begin = 0; begin < order.size(); begin += max_prompts) {
    const auto size = std::min(order.size() - begin, max_prompts);
    const int64_t on_device = (static_cast<int64_t>(size) + limits.devices - 1) / limits.devices;
    const std::span numbers = std::span(order).subspan(begin, size);
    const int64_t longest = length_of(numbers.back());
    int64_t prompt = std::min(rounded_length(longest), limits.max_length);
    if (limits.max_padded_length) prompt = std::min(prompt, std::max(longest, limits.max_padded_length(longest)));
    const auto more_tokens = [&](size_t a, size_t b) { return new_tokens[a] < new_tokens[b]; };
    const int64_t added = new_tokens[std::ranges::max(numbers, more_tokens)];
    batches.push_back({.prompts = {numbers.begin(), numbers.end()},
                       .sizes = {.prompts = limits.devices * std::min(power_of_two(on_device), limits.batch_size),
                                 .prompt = prompt,
                                 .length = rounded_length(limits.first.value_or(prompt) + added)}});
  }
  return batches;
}

PaddedPrompts pad(std::span<const Ids> prompts, const Batch& batch, int32_t pad_token_id, PaddingSide side) {
  const auto rows = static_cast<size_t>(batch.sizes.prompts), width = static_cast<size_t>(batch.sizes.prompt);
  std::vector<int32_t> ids(rows * width, pad_token_id), padding(rows, static_cast<int32_t>(width));
  std::vector<uint32_t> numbers(rows);
  for (size_t row = 0; row < batch.prompts.size(); ++row) {
    const Ids& prompt = prompts[batch.prompts[row]];
    const size_t free = width - prompt.size(), before = side == PaddingSide::kLeft ? free : 0;
    std::ranges::copy(prompt, ids.begin() + static_cast<std::ptrdiff_t>(row * width + before));
    padding[row] = static_cast<int32_t>(free);
    numbers[row] = static_cast<uint32_t>(batch.prompts[row]);
  }
  const Shape list{batch.sizes.prompts};
  return {.ids = Tensor({batch.sizes.prompts, batch.sizes.prompt}, std::span<const int32_t>(ids)),
          .padding = Tensor(list, std::span<const int32_t>(padding)),
          .numbers = Tensor(list, std::span<const uint32_t>(numbers))};
}

}  // namespace portatune::generate
