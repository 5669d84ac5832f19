#include <algorithm>
#include <span>

#include "portatune/data.h"
#include "portatune/data/read/column_names.h"

namespace portatune::data {
namespace {

std::string describe(const Column& column) {
  if (std::holds_alternative<std::string>(column)) return "a text";
  if (const Tensor* tensor = std::get_if<Tensor>(&column)) return "an array " + to_string(tensor->type());
  return "a list of texts";
}

template <class Kind>
const Kind& get(const Example& example, std::string_view name, const char* expected) {
  const Column& column = example.column(name);
  if (const Kind* value = std::get_if<Kind>(&column)) return *value;
  throw DataError({.where = to_string(example.origin()),
                   .given = describe(column) + " in column '" + std::string(name) + "'",
                   .expected = expected});
}

}  // namespace

std::string to_string(const Origin& origin) {
  if (origin.row < 0) return origin.file ? *origin.file : "an example";
  return (origin.file ? *origin.file + ":" : "example ") + std::to_string(origin.row);
}

std::string to_string(const std::vector<Origin>& origins) {
  constexpr size_t kMaxListed = 20;
  std::string text;
  const Origin* previous = nullptr;
  for (const Origin& origin : std::span(origins).first(std::min(origins.size(), kMaxListed))) {
    const bool same_file =
        previous != nullptr && previous->row >= 0 && origin.row >= 0 &&
        (previous->file == origin.file || (previous->file && origin.file && *previous->file == *origin.file));
    if (previous != nullptr) text += same_file ? ", " : "; ";
    text += same_file ? std::to_string(origin.row) : to_string(origin);
    previous = &origin;
  }
  if (origins.size() > kMaxListed) text += " and " + std::to_string(origins.size() - kMaxListed) + " more";
  return text;
}

const std::vector<BatchType>& Example::batch_types() const {
  static const std::vector<BatchType> kNone;
  return batch_types_ ? *batch_types_ : kNone;
}

void Example::set_batch_types(std::vector<BatchType> types) {
  batch_types_ = std::make_shared<const std::vector<BatchType>>(std::move(types));
}

const std::vector<Origin>& Example::row_origins() const {
  static const std::vector<Origin> kNone;
  return row_origins_ ? *row_origins_ : kNone;
}

void Example::set_row_origins(std::vector<Origin> origins) {
  row_origins_ = std::make_shared<const std::vector<Origin>>(std::move(origins));
}

const Example::Entry* Example::find(std::string_view name) const {
  const auto entry = std::find_if(columns_.begin(), columns_.end(), [&](const Entry& e) { return e.name == name; });
  return entry == columns_.end() ? nullptr : &*entry;
}

Example& Example::set(std::string_view name, Column value) {
  if (const Entry* entry = find(name)) {
    columns_[static_cast<size_t>(entry - columns_.data())].value = std::move(value);
  } else {
    constexpr size_t kUsual = 4;  // most examples have no more columns and then allocate once
    if (columns_.empty()) columns_.reserve(kUsual);
    columns_.push_back({std::string(name), std::move(value)});
  }
  return *this;
}

Example& Example::erase(std::string_view name) {
  std::erase_if(columns_, [&](const Entry& entry) { return entry.name == name; });
  return *this;
}

const Column& Example::column(std::string_view name) const {
  if (const Entry* entry = find(name)) return entry->value;
  std::vector<std::string_view> names;
  for (const Entry& entry : columns_) names.push_back(entry.name);
  throw missing_column(to_string(origin_), name, names);
}

const std::string& Example::text(std::string_view name) const { return get<std::string>(*this, name, "a text"); }

const Tensor& Example::tensor(std::string_view name) const { return get<Tensor>(*this, name, "an array"); }

const std::vector<std::string>& Example::texts(std::string_view name) const {
  return get<std::vector<std::string>>(*this, name, "a list of texts");
}

}  // namespace portatune::data
