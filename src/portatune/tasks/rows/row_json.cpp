#include "portatune/tasks/rows/row_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"

namespace portatune::tasks {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxShown = 60;  // bytes of a text in errors

std::string description_of(const data::Column& value) {
  if (const Tensor* array = std::get_if<Tensor>(&value)) return to_string(array->type());
  return shortened(std::get<std::string>(value), kMaxShown);
}

template <class T>
Json list_of(const Tensor& array) {
  const std::span<const T> values = array.as<T>();
  return std::vector<T>(values.begin(), values.end());
}

// An array of a TFRecord as a JSON list.
Json list_in(const data::Example& row, std::string_view column, const Tensor& array) {
  if (array.dtype() == DType::kInt64) return list_of<int64_t>(array);
  if (array.dtype() == DType::kInt32) return list_of<int32_t>(array);
  if (array.dtype() == DType::kFloat32) return list_of<float>(array);
  throw bad_column(row, column, "a list of int64, int32 or float32");
}

}  // namespace

DataError bad_column(const data::Example& row, std::string_view column, std::string expected) {
  return DataError({.where = to_string(row.origin()),
                    .given = description_of(row.column(column)) + " in column \"" + std::string(column) + "\"",
                    .expected = std::move(expected)});
}

Json json_in(const data::Example& row, std::string_view column) {
  if (const Tensor* array = std::get_if<Tensor>(&row.column(column))) return list_in(row, column, *array);
  constexpr int kMaxDepth = 16;  // no row may exhaust the stack
  const auto not_too_deep = [&](int depth, Json::parse_event_t, Json&) {
    if (depth <= kMaxDepth) return true;
    throw bad_column(row, column, "JSON of at most " + std::to_string(kMaxDepth) + " levels");
  };
  try {
    return Json::parse(row.text(column), not_too_deep);
  } catch (const Json::exception&) {
    throw bad_column(row, column, "a list or an object in JSON");
  }
}

std::vector<std::string> texts_in(const data::Example& row, std::string_view column) {
  const Json list = json_in(row, column);
  std::vector<std::string> texts;
  const auto add = [&](const Json& item) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
    if (item.is_number_integer()) texts.push_back(item.dump());
    return item.is_string() || item.is_number_integer();
  };
  if (!list.is_array() || !std::ranges::all_of(list, add)) {
    throw bad_column(row, column, "a list of strings or integers in JSON");
  }
  return texts;
}

}  // namespace portatune::tasks
