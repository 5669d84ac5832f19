// Rows that have token ids in place of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"
#include "portatune/sources.h"

namespace portatune::tasks {

inline constexpr std::string_view kInputIds = "input_ids", kTokenTypeIds = "token_type_ids";

/// Integers in a column: an array, a JSON list, or one number.
/// errors  DataError that names row and column for anything else
std::vector<int32_t> integers_in(const data::Example& row, std::string_view column);

struct TokenIds {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;  ///< empty if the row has none
};

/// Columns input_ids and, if they are there, token_type_ids and attention_mask: where the mask is 0, at the end, ids
/// are padding and left out.
/// errors  DataError that names the row for lists of several lengths, a mask that is not ones and then zeros
TokenIds token_ids_in(const data::Example& row);

/// The columns of a text's task to read: `texts`; or, where the first row that can be read has input_ids and not the
/// first of these, the columns that token_ids_in takes.
std::vector<std::string> text_or_id_columns(const std::vector<std::string>& files, data::TableOptions table,
                                            std::vector<std::string> texts);

}  // namespace portatune::tasks
