#include "portatune/data/pack/row_packer.h"

#include <algorithm>
#include <numeric>

namespace portatune::data {
namespace {

int64_t longest_text(const TextLengths& texts) { return *std::ranges::max_element(texts); }

// The examples by their longest text, longest first; equal ones keep their order.
std::vector<size_t> by_falling_length(std::span<const TextLengths> window, std::vector<size_t> examples) {
  std::ranges::stable_sort(examples, std::greater<>(), [&](size_t i) { return longest_text(window[i]); });
  return examples;
}

std::vector<size_t> numbers(size_t begin, size_t end) {
  std::vector<size_t> result(end - begin);
  std::iota(result.begin(), result.end(), begin);
  return result;
}

// The packed rows, with the examples in the order of the window.
PackedRows in_order(int64_t rows, const std::vector<size_t>& examples,
                    std::vector<std::optional<TextOffsets>> offsets_of) {
  PackedRows packed{.rows = rows, .examples = examples};
  std::ranges::sort(packed.examples);
  for (const size_t i : packed.examples) packed.offsets.push_back(std::move(*offsets_of[i]));
  return packed;
}

}  // namespace

std::optional<TextOffsets> RowPacker::put(const TextLengths& texts) {
  std::vector<int64_t> left = free_;
  TextOffsets offsets;
  for (const int64_t text : texts) {
    auto best = left.end();
    for (auto row = left.begin(); row != left.end(); ++row) {
      if (*row >= text && (best == left.end() || *row < *best)) best = row;
    }
    if (best == left.end()) return std::nullopt;
    offsets.push_back((best - left.begin() + 1) * length_ - *best);
    *best -= text;
  }
  free_ = std::move(left);
  return offsets;
}

std::optional<PackedRows> pack_all(std::span<const TextLengths> window, const std::vector<size_t>& examples,
                                   std::span<const int64_t> rows, int64_t length) {
  const std::vector<size_t> order = by_falling_length(window, examples);
  for (const int64_t number : rows) {
    RowPacker packer(number, length);
    std::vector<std::optional<TextOffsets>> offsets(window.size());
    const bool fit =
        std::ranges::all_of(order, [&](size_t i) { return (offsets[i] = packer.put(window[i])).has_value(); });
    if (fit) return in_order(number, examples, std::move(offsets));
  }
  return std::nullopt;
}

PackedRows pack_exactly(std::span<const TextLengths> window, int64_t count, std::span<const int64_t> rows,
                        int64_t length) {
  size_t next = std::min(window.size(), static_cast<size_t>(count));
  std::vector<size_t> examples = numbers(0, next);
  for (;;) {
    if (auto packed = pack_all(window, examples, rows, length)) return *packed;
    // The first stays, so that no example waits forever.
    examples.erase(std::max_element(examples.begin() + 1, examples.end(), [&](size_t i, size_t j) {
      return longest_text(window[i]) < longest_text(window[j]);
    }));
    if (next < window.size()) examples.push_back(next++);
  }
}

PackedRows pack_budget(std::span<const TextLengths> window, int64_t max_examples, int64_t rows, int64_t length) {
  RowPacker packer(rows, length);
  std::vector<size_t> examples;
  std::vector<std::optional<TextOffsets>> offsets(window.size());
  const auto take = [&](size_t i) {
    if (std::ssize(examples) == max_examples || !(offsets[i] = packer.put(window[i]))) return false;
    examples.push_back(i);
    return true;
  };
  size_t next = 0;
  while (next < window.size() && take(next)) ++next;
  // Free room only shrinks, so that one attempt for each example is enough.
  for (const size_t i : by_falling_length(window, numbers(next, window.size()))) take(i);
  return in_order(rows, examples, std::move(offsets));
}

}  // namespace portatune::data
