// Choice of the examples of a window for a batch of rows, and of the offsets of their texts, by the lengths alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// The beginnings of an example's texts, in tokens from the beginning of the first row.
using TextOffsets = std::vector<int64_t>;

/// Rows of one length that are filled with texts.
class RowPacker {
 public:
  RowPacker(int64_t rows, int64_t length) : length_(length), free_(static_cast<size_t>(rows), length) {}

  /// Puts each text of an example into the row in which it leaves the least room. If they do not all fit, returns
  /// nullopt and leaves the rows unchanged.
  std::optional<TextOffsets> put(const TextLengths& texts);

 private:
  int64_t length_;
  std::vector<int64_t> free_;  // free tokens at the end of each row
};

/// A batch of some examples of a window.
struct PackedRows {
  int64_t rows = 0;
  std::vector<size_t> examples = {};      ///< indices in the window, in rising order
  std::vector<TextOffsets> offsets = {};  ///< of each example
};

/// Packs all `examples` in as few rows as possible; nullopt if they do not fit.
/// rows  possible numbers of rows, in rising order
std::optional<PackedRows> pack_all(std::span<const TextLengths> window, const std::vector<size_t>& examples,
                                   std::span<const int64_t> rows, int64_t length);

/// Packs the first `count` examples of the window. If they do not fit in the maximal number of rows, drops the longest
/// examples (never the first) and adds the next ones of the window in their place, until the rest fits.
PackedRows pack_exactly(std::span<const TextLengths> window, int64_t count, std::span<const int64_t> rows,
                        int64_t length);

/// Packs examples in their order until one does not fit, then the longest of the others that fit.
PackedRows pack_budget(std::span<const TextLengths> window, int64_t max_examples, int64_t rows, int64_t length);

}  // namespace portatune::data
