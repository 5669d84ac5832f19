#include "portatune/tasks/rows/token_ids.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/data.h"
#include "portatune/tasks/rows/first_row.h"
#include "portatune/tasks/rows/row_json.h"

namespace portatune::tasks {
namespace {

DataError bad_row(const data::Example& row, std::string given, std::string expected) {
  return DataError({.where = to_string(row.origin()), .given = std::move(given), .expected = std::move(expected)});
}

// value  integer of any type
template <class Integer>
int32_t checked(const data::Example& row, std::string_view column, Integer value) {
  if (std::in_range<int32_t>(value)) return static_cast<int32_t>(value);
  throw DataError({.where = to_string(row.origin()),
                   .given = std::to_string(value) + " in column \"" + std::string(column) + "\"",
                   .expected = "integers of 32 bits"});
}

std::vector<int32_t> elements_of(const data::Example& row, std::string_view column, const Tensor& array) {
  if (array.dtype() == DType::kInt32) {
    const std::span<const int32_t> values = array.as<int32_t>();
    return {values.begin(), values.end()};
  }
  if (array.dtype() != DType::kInt64 && array.shape().elements() > 0) {
    throw DataError({.where = to_string(row.origin()),
                     .given = to_string(array.type()) + " in column \"" + std::string(column) + "\"",
                     .expected = "a list of integers"});
  }
  std::vector<int32_t> integers;
  if (array.shape().elements() == 0) return integers;
  for (const int64_t value : array.as<int64_t>()) integers.push_back(checked(row, column, value));
  return integers;
}

std::vector<int32_t> column_if_there(const data::Example& row, std::string_view column, size_t size) {
  if (!row.has(column)) return {};
  std::vector<int32_t> integers = integers_in(row, column);
  if (integers.size() == size) return integers;
  throw bad_row(row, std::to_string(integers.size()) + " values in column \"" + std::string(column) + "\"",
                std::to_string(size) + ", as in column \"" + std::string(kInputIds) + "\"");
}

}  // namespace

std::vector<int32_t> integers_in(const data::Example& row, std::string_view column) {
  if (const Tensor* array = std::get_if<Tensor>(&row.column(column))) return elements_of(row, column, *array);
  const nlohmann::json value = json_in(row, column);
  std::vector<int32_t> integers;
  const auto add = [&](const nlohmann::json& item) {
    if (!item.is_number_integer()) throw bad_column(row, column, "a list of integers");
    integers.push_back(item.is_number_unsigned() ? checked(row, column, item.get<uint64_t>())
                                                 : checked(row, column, item.get<int64_t>()));
  };
  if (value.is_array()) {
    std::ranges::for_each(value, add);
  } else {
    add(value);
  }
  return integers;
}

TokenIds token_ids_in(const data::Example& row) {
  TokenIds tokens{.ids = integers_in(row, kInputIds)};
  tokens.type_ids = column_if_there(row, kTokenTypeIds, tokens.ids.size());
  const std::vector<int32_t> mask = column_if_there(row, data::kAttentionMask, tokens.ids.size());
  if (mask.empty()) return tokens;
  const auto end = std::ranges::find(mask, 0);
  const bool is_usual = std::all_of(mask.begin(), end, [](int32_t value) { return value == 1; }) &&
                        std::all_of(end, mask.end(), [](int32_t value) { return value == 0; });
  if (!is_usual) {
    throw bad_row(row, "a column \"" + std::string(data::kAttentionMask) + "\" that is not ones and then zeros",
                  "padding at the end only");
  }
  const auto length = static_cast<size_t>(end - mask.begin());
  tokens.ids.resize(length);
  if (!tokens.type_ids.empty()) tokens.type_ids.resize(length);
  return tokens;
}

std::vector<std::string> text_or_id_columns(const std::vector<std::string>& files, data::TableOptions table,
                                            std::vector<std::string> texts) {
  const std::optional<data::Example> first = first_row(files, std::move(table));
  if (!first || !first->has(kInputIds) || first->has(texts.front())) return texts;
  std::vector<std::string> columns = {std::string(kInputIds)};
  for (const std::string_view column : {kTokenTypeIds, data::kAttentionMask}) {
    if (first->has(column)) columns.emplace_back(column);
  }
  return columns;
}

}  // namespace portatune::tasks
