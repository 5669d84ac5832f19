#include "portatune/data/batch/stack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "portatune/error.h"

namespace portatune::data {
namespace {

using Element = std::array<std::byte, sizeof(double)>;

template <class T>
Element bytes_of(T value) {
  Element bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
Element integer_bytes(std::string_view verb, double value, DType dtype) {
  // 2^digits is exact as a double, unlike the largest 64-bit integer.
  const bool fits = value == std::trunc(value) && value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                    value < std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!fits) {
    throw UsageError({.where = std::string(verb),
                      .given = "pad value " + std::to_string(value),
                      .expected = "a value that " + std::string(name_of(dtype)) + " can hold"});
  }
  return bytes_of(static_cast<T>(value));
}

Element element_bytes(std::string_view verb, double value, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return bytes_of(static_cast<uint8_t>(value != 0.0));
    case DType::kInt8:
      return integer_bytes<int8_t>(verb, value, dtype);
    case DType::kUInt8:
      return integer_bytes<uint8_t>(verb, value, dtype);
    case DType::kInt16:
      return integer_bytes<int16_t>(verb, value, dtype);
    case DType::kInt32:
      return integer_bytes<int32_t>(verb, value, dtype);
    case DType::kUInt32:
      return integer_bytes<uint32_t>(verb, value, dtype);
    case DType::kInt64:
      return integer_bytes<int64_t>(verb, value, dtype);
    case DType::kUInt64:
      return integer_bytes<uint64_t>(verb, value, dtype);
    case DType::kFloat16:
      return bytes_of(to_float16(static_cast<float>(value)));
    case DType::kBFloat16:
      return bytes_of(to_bfloat16(static_cast<float>(value)));
    case DType::kFloat32:
      return bytes_of(static_cast<float>(value));
    case DType::kFloat64:
      return bytes_of(value);
  }
  return {};
}

void fill(std::string_view verb, Tensor& tensor, double value) {
  if (value == 0.0) return;  // new tensors are zero
  const Element element = element_bytes(verb, value, tensor.dtype());
  const auto width = static_cast<size_t>(size_of(tensor.dtype()));
  const auto bytes = static_cast<size_t>(tensor.type().bytes());
  for (size_t at = 0; at < bytes; at += width) std::memcpy(tensor.data() + at, element.data(), width);
}

bool fits(const Tensor& row, DType dtype, const RowLayout& layout) {
  if (row.dtype() != dtype) return false;
  if (!layout.padded) return row.shape() == layout.shape;
  const auto given = row.shape().sizes(), wanted = layout.shape.sizes();
  return given.size() == wanted.size() && given.back() <= wanted.back() &&
         std::equal(given.begin(), given.end() - 1, wanted.begin());
}

// Copies a row to `at`, which has the padded layout: lines along the last axis may be shorter in the row.
void copy_row(const Tensor& row, const RowLayout& layout, std::byte* at) {
  if (row.shape().elements() == 0) return;
  const auto bytes = static_cast<size_t>(row.type().bytes());
  if (!layout.padded) {
    std::memcpy(at, row.data(), bytes);
    return;
  }
  const auto width = static_cast<size_t>(size_of(row.dtype()));
  const size_t line = static_cast<size_t>(row.shape().back()) * width;
  for (size_t done = 0; done < bytes; done += line) {
    std::memcpy(at, row.data() + done, line);
    at += static_cast<size_t>(layout.shape.back()) * width;
  }
}

enum class Missing { kRefused, kZeros };

Tensor stack_arrays(std::string_view verb, const std::vector<Example>& rows, std::string_view column, int64_t size,
                    DType dtype, const RowLayout& layout, Missing missing) {
  const TensorType row_type{dtype, layout.shape};
  Shape shape = layout.shape;
  shape.insert(0, size);
  Tensor batch({dtype, shape});
  fill(verb, batch, layout.pad_value);
  std::byte* at = batch.data();
  for (const Example& example : rows) {
    if (missing == Missing::kZeros && !example.has(column)) {
      at += row_type.bytes();
      continue;
    }
    const Tensor& row = example.tensor(column);
    if (!fits(row, dtype, layout)) {
      throw DataError(
          {.where = to_string(example.origin()),
           .given = to_string(row.type()) + " in column '" + std::string(column) + "'",
           .expected =
               to_string(row_type) + (missing == Missing::kRefused ? ", as in " + to_string(rows.front().origin())
                                                                   : ", as in the other local rows"),
           .fix = std::string("bring all examples to one shape") + (verb == "batch" ? ", or use padded_batch" : "")});
    }
    copy_row(row, layout, at);
    at += row_type.bytes();
  }
  return batch;
}

std::vector<std::string> stack_texts(const std::vector<Example>& rows, std::string_view column, int64_t size) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(size));
  for (const Example& example : rows) texts.push_back(example.text(column));
  texts.resize(static_cast<size_t>(size));
  return texts;
}

Column stack_column(std::string_view verb, const std::vector<Example>& rows, const Example::Entry& first, int64_t size,
                    const ChooseLayout& layout) {
  if (std::holds_alternative<std::string>(first.value)) return stack_texts(rows, first.name, size);
  const Tensor& tensor = rows.front().tensor(first.name);  // throws for the lists of texts of a batch
  return stack_arrays(verb, rows, first.name, size, tensor.dtype(), layout(first.name, tensor), Missing::kRefused);
}

bool is_in(const BatchType& arrays, const std::string& name) {
  return std::ranges::find(arrays, name, &BatchType::value_type::first) != arrays.end();
}

void require_equal_columns(const std::vector<Example>& rows, const BatchType& optional) {
  const Example& first = rows.front();
  for (const Example& row : rows) {
    for (const Example::Entry& entry : first.columns()) {
      if (!is_in(optional, entry.name)) row.column(entry.name);
    }
    for (const Example::Entry& entry : row.columns()) {
      if (first.has(entry.name) || is_in(optional, entry.name)) continue;
      throw DataError({.where = to_string(row.origin()),
                       .given = "a column '" + entry.name + "', which " + to_string(first.origin()) + " lacks",
                       .expected = "the same columns in all examples of a batch"});
    }
  }
}

void require_valid_weight(const Example& first) {
  if (!first.has(kExampleWeight)) return;
  const TensorType& type = first.tensor(kExampleWeight).type();
  if (type == TensorType{DType::kFloat32, {}}) return;
  throw DataError({.where = to_string(first.origin()),
                   .given = to_string(type) + " in column '" + std::string(kExampleWeight) + "'",
                   .expected = "a float32 scalar"});
}

std::vector<Origin> origins_of(const std::vector<Example>& rows) {
  std::vector<Origin> origins;
  origins.reserve(rows.size());
  for (const Example& row : rows) origins.push_back(row.origin());
  return origins;
}

Tensor weights(int64_t examples, int64_t size) {
  Tensor result({DType::kFloat32, {size}});
  std::fill_n(result.as<float>().begin(), examples, 1.0f);
  return result;
}

}  // namespace

RowLayout unpadded(std::string_view, const Tensor& first) { return {.shape = first.shape()}; }

Example stack(std::string_view verb, const std::vector<Example>& rows, int64_t size, const ChooseLayout& layout,
              const BatchType& optional) {
  require_equal_columns(rows, optional);
  Example batch(rows.front().origin());
  batch.set_row_origins(origins_of(rows));
  for (const Example::Entry& entry : rows.front().columns()) {
    if (!is_in(optional, entry.name)) batch.set(entry.name, stack_column(verb, rows, entry, size, layout));
  }
  for (const auto& [name, type] : optional) {
    batch.set(name, stack_arrays(verb, rows, name, size, type.dtype, {.shape = type.shape}, Missing::kZeros));
  }
  require_valid_weight(rows.front());
  if (!batch.has(kExampleWeight)) batch.set(kExampleWeight, weights(static_cast<int64_t>(rows.size()), size));
  return batch;
}

}  // namespace portatune::data
