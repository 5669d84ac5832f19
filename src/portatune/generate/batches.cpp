#include "portatune/generate/batches.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace portatune::generate {
namespace {

constexpr int64_t kMinLength = 16;

int64_t power_of_two(int64_t at_least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least))); }

int64_t rounded_length(int64_t tokens) { return power_of_two(std::max(tokens, kMinLength)); }

int64_t longest(std::span<const Ids> prompts, std::span<const size_t> numbers) {
  size_t length = 0;
  for (const size_t number : numbers) length = std::max(length, prompts[number].size());
  return static_cast<int64_t>(length);
}

}  // namespace

std::vector<Batch> make_batches(std::span<const Ids> prompts, int64_t batch_size, int64_t max_new_tokens,
                                int64_t max_length, int64_t devices) {
  std::vector<size_t> order(prompts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t number) { return prompts[number].size(); });
  std::vector<Batch> batches;
  const auto most = static_cast<size_t>(batch_size * devices);
  for (size_t begin = 0; begin < order.size(); begin += most) {
    const auto size = std::min(order.size() - begin, most);
    const int64_t on_device = (static_cast<int64_t>(size) + devices - 1) / devices;
    const std::span numbers = std::span(order).subspan(begin, size);
    const int64_t prompt = std::min(rounded_length(longest(prompts, numbers)), max_length);
    batches.push_back({.prompts = {numbers.begin(), numbers.end()},
                       .sizes = {.prompts = devices * std::min(power_of_two(on_device), batch_size),
                                 .prompt = prompt,
                                 .length = rounded_length(prompt + max_new_tokens)}});
  }
  return batches;
}

PaddedPrompts pad_left(std::span<const Ids> prompts, const Batch& batch, int32_t pad_token_id) {
  const auto rows = static_cast<size_t>(batch.sizes.prompts), width = static_cast<size_t>(batch.sizes.prompt);
  std::vector<int32_t> ids(rows * width, pad_token_id), padding(rows, static_cast<int32_t>(width));
  std::vector<uint32_t> numbers(rows);
  for (size_t row = 0; row < batch.prompts.size(); ++row) {
    const Ids& prompt = prompts[batch.prompts[row]];
    const size_t before = width - prompt.size();
    std::ranges::copy(prompt, ids.begin() + static_cast<std::ptrdiff_t>(row * width + before));
    padding[row] = static_cast<int32_t>(before);
    numbers[row] = static_cast<uint32_t>(batch.prompts[row]);
  }
  const Shape list{batch.sizes.prompts};
  return {.ids = Tensor({batch.sizes.prompts, batch.sizes.prompt}, std::span<const int32_t>(ids)),
          .padding = Tensor(list, std::span<const int32_t>(padding)),
          .numbers = Tensor(list, std::span<const uint32_t>(numbers))};
}

}  // namespace portatune::generate
