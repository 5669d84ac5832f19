// Packing of pairs: sources in rows, and each target in the same row of a second array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "portatune/data.h"

namespace portatune::tasks {

/// Columns of packed targets, which correspond to data::kAttentionMask, kPositionIds and kTokenPlaces of texts.
inline constexpr std::string_view kTargetMask = "target_attention_mask";
inline constexpr std::string_view kTargetPositions = "target_position_ids";
inline constexpr std::string_view kTargetPlaces = "target_token_places";

/// The rows of packed pairs. A row of sources has `ratio` positions for each position of the row of targets, so that
/// one size says where both texts of a pair fit: see size_of().
struct PairRows {
  /// Rows for sources and targets of up to these lengths.
  PairRows(int64_t max_length, int64_t max_target_length)
      : length(max_length), ratio(std::max<int64_t>(1, max_length / max_target_length)) {}

  int64_t length;  ///< positions of a row of sources
  int64_t ratio;

  int64_t target_length() const { return (length + ratio - 1) / ratio; }
  /// Positions of the row of sources that a pair takes.
  int64_t size_of(const data::LengthPair& pair) const { return std::max(pair.source, ratio * pair.target); }
};

/// The example of a pair for data::Dataset::pack(): its columns of tokens have size_of() positions.
/// pair     with int32 columns of tokens and "labels", one for each token of the target
/// padding  columns of tokens and their padding values
data::Example to_packed_size(const data::Example& pair, const PairRows& rows,
                             const std::map<std::string, double>& padding);

/// A batch of Dataset::pack() with the sources in their rows, and the targets as int32 columns: kTargetMask and
/// kTargetPositions [rows, target length], kTargetPlaces and "labels" [pairs, target length].
data::Example with_packed_targets(const data::Example& batch, const PairRows& rows);

}  // namespace portatune::tasks
