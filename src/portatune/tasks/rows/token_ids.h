// Rows with token ids in place of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"
#include "portatune/sources.h"

namespace portatune::tasks {

inline constexpr std::string_view kInputIds = "input_ids", kTokenTypeIds = "token_type_ids";

/// Integers of a column: an array, a JSON list, or one number.
/// errors  DataError that names row and column for any other value
std::vector<int32_t> integers_in(const data::Example& row, std::string_view column);

struct TokenIds {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;  ///< empty if the row has none
};

/// Reads the columns input_ids and, if present, token_type_ids and attention_mask. Ids at the end with mask 0 are
/// padding and are dropped.
/// errors  DataError that names the row for lists of different lengths, or a mask other than ones followed by zeros
TokenIds token_ids_in(const data::Example& row);

/// The columns that a text task reads: `texts`, or the columns of token_ids_in if the first readable row has input_ids
/// and lacks the first of `texts`.
std::vector<std::string> text_or_id_columns(const std::vector<std::string>& files, data::TableOptions table,
                                            std::vector<std::string> texts);

}  // namespace portatune::tasks
