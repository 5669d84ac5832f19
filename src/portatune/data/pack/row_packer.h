// Which examples of a window go into a batch of rows, and where their texts stand in it. Lengths are all that counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "portatune/packing.h"

namespace portatune::data {

/// Where the texts of an example begin, in tokens from the beginning of the first row on.
using TextPlaces = std::vector<int64_t>;

/// Rows of one length that are filled with texts.
class RowPacker {
 public:
  RowPacker(int64_t rows, int64_t length) : length_(length), free_(static_cast<size_t>(rows), length) {}

  /// Puts each text, of one example, into the row in which it leaves the least room. Nothing, and nothing is put, if
  /// they do not all fit.
  std::optional<TextPlaces> put(const TextLengths& texts);

 private:
  int64_t length_;
  std::vector<int64_t> free_;  // tokens at the end of each row
};

/// A batch of some examples of a window.
struct PackedRows {
  int64_t rows = 0;
  std::vector<size_t> examples = {};    ///< places in the window, in rising order
  std::vector<TextPlaces> places = {};  ///< of each of these
};

/// All of these, in rows as few as possible; nothing if they do not fit.
/// rows  what there may be, in rising order
std::optional<PackedRows> pack_all(std::span<const TextLengths> window, const std::vector<size_t>& examples,
                                   std::span<const int64_t> rows, int64_t length);

/// The first `count` of the window. Where they do not fit into the most rows, the longest but the very first are left
/// out, and others from the end of the window take their places, as long as there are some.
PackedRows pack_exactly(std::span<const TextLengths> window, int64_t count, std::span<const int64_t> rows,
                        int64_t length);

/// Examples in their order until one does not fit any more, then the longest of the others that do; at most `most`.
PackedRows pack_budget(std::span<const TextLengths> window, int64_t most, int64_t rows, int64_t length);

}  // namespace portatune::data
