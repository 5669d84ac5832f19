#include "portatune/data/pack/packed_parts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "portatune/data/batch/padded_columns.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// The value of a column without an example.
double filler(const std::string& column, const PackOptions& options) {
  return column == kTokenPlaces ? -1 : pad_value(options.pad_values, column);
}

// A part with the same shapes and no example.
Example empty_like(const Example& part, const PackOptions& options) {
  Example empty;
  for (const auto& [name, value] : part.columns()) {
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      empty.set(name, std::vector<std::string>(texts->size()));
      continue;
    }
    Tensor array(part.tensor(name).type());
    if (array.dtype() == DType::kInt32) {
      std::ranges::fill(array.as<int32_t>(), static_cast<int32_t>(filler(name, options)));
    }
    empty.set(name, std::move(array));
  }
  return empty;
}

Tensor joined(const std::string& column, const std::vector<Example>& parts) {
  TensorType type = parts.front().tensor(column).type();
  const int64_t bytes = type.bytes();
  if (column == kTokenPlaces) type.shape.insert(0, 1);
  type.shape[0] *= std::ssize(parts);
  Tensor whole(type);
  std::byte* to = whole.data();
  for (const Example& part : parts) {
    const Tensor& array = part.tensor(column);
    if (array.type() != parts.front().tensor(column).type()) {
      throw DataError({.where = to_string(part.origin()),
                       .given = to_string(array.type()) + " in column '" + column + "'",
                       .expected = to_string(parts.front().tensor(column).type()) + ", as in the previous examples"});
    }
    std::memcpy(to, array.data(), static_cast<size_t>(bytes));
    to += bytes;
  }
  return whole;
}

std::vector<std::string> joined_texts(const std::string& column, const std::vector<Example>& parts) {
  std::vector<std::string> all;
  for (const Example& part : parts) {
    const std::vector<std::string>& texts = part.texts(column);
    all.insert(all.end(), texts.begin(), texts.end());
  }
  return all;
}

}  // namespace

Example side_by_side(std::vector<Example> parts, const PackOptions& options) {
  std::vector<Origin> origins;
  for (const Example& part : parts) {
    origins.insert(origins.end(), part.row_origins().begin(), part.row_origins().end());
  }
  while (std::ssize(parts) < options.shapes.parts) parts.push_back(empty_like(parts.front(), options));
  Example batch(parts.front().origin());
  batch.set_row_origins(std::move(origins));
  for (const auto& [name, value] : parts.front().columns()) {
    if (std::holds_alternative<Tensor>(value)) {
      batch.set(name, joined(name, parts));
    } else {
      batch.set(name, joined_texts(name, parts));
    }
  }
  return batch;
}

}  // namespace portatune::data
