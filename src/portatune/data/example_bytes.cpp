#include "portatune/data/example_bytes.h"

#include <cstring>

#include "portatune/error.h"

namespace portatune::data {
namespace {

enum Kind : uint8_t { kText, kArray, kTexts };

template <class T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& bytes, std::string_view text) {
  append_number<uint64_t>(bytes, text.size());
  bytes += text;
}

void append_type(std::string& bytes, const TensorType& type) {
  append_number(bytes, static_cast<uint8_t>(type.dtype));
  append_number(bytes, static_cast<uint8_t>(type.shape.rank()));
  for (const int64_t size : type.shape) append_number(bytes, size);
}

void append_array(std::string& bytes, const Tensor& array) {
  append_type(bytes, array.type());
  bytes.append(reinterpret_cast<const char*>(array.data()), static_cast<size_t>(array.type().bytes()));
}

void append_column(std::string& bytes, const Column& column) {
  append_number(bytes, static_cast<uint8_t>(column.index()));
  if (const auto* text = std::get_if<std::string>(&column)) {
    append_text(bytes, *text);
  } else if (const auto* array = std::get_if<Tensor>(&column)) {
    append_array(bytes, *array);
  } else {
    const auto& texts = std::get<std::vector<std::string>>(column);
    append_number<uint64_t>(bytes, texts.size());
    for (const std::string& item : texts) append_text(bytes, item);
  }
}

void append_batch_types(std::string& bytes, const std::vector<BatchType>& types) {
  append_number<uint64_t>(bytes, types.size());
  for (const BatchType& type : types) {
    append_number<uint64_t>(bytes, type.size());
    for (const auto& [name, of_array] : type) {
      append_text(bytes, name);
      append_type(bytes, of_array);
    }
  }
}

void append_origin(std::string& bytes, const Origin& origin) {
  append_number<uint8_t>(bytes, origin.file ? 1 : 0);
  if (origin.file) append_text(bytes, *origin.file);
  append_number(bytes, origin.row);
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  Example example() {
    Example example(origin());
    for (uint64_t left = number<uint64_t>(); left > 0; --left) {
      const std::string name = text();
      example.set(name, column());
    }
    std::vector<BatchType> types;
    for (uint64_t left = number<uint64_t>(); left > 0; --left) types.push_back(batch_type());
    if (!types.empty()) example.set_batch_types(std::move(types));
    std::vector<Origin> rows;
    for (uint64_t left = number<uint64_t>(); left > 0; --left) rows.push_back(origin());
    if (!rows.empty()) example.set_row_origins(std::move(rows));
    if (!bytes_.empty()) fail();
    return example;
  }

 private:
  [[noreturn]] void fail() const {
    throw DataError(
        {.where = where_, .given = "bytes that are not an example", .fix = "remove the file to create it again"});
  }

  std::string_view take(uint64_t count) {
    if (count > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text() { return std::string(take(number<uint64_t>())); }

  Origin origin() {
    Origin origin;
    const bool has_file = number<uint8_t>() != 0;
    if (has_file) origin.file = std::make_shared<const std::string>(text());
    origin.row = number<int64_t>();
    return origin;
  }

  Column column() {
    switch (number<uint8_t>()) {
      case kText:
        return text();
      case kArray:
        return array();
      case kTexts:
        return texts();
      default:
        fail();
    }
  }

  std::vector<std::string> texts() {
    std::vector<std::string> texts;
    for (uint64_t left = number<uint64_t>(); left > 0; --left) texts.push_back(text());
    return texts;
  }

  BatchType batch_type() {
    BatchType type;
    for (uint64_t left = number<uint64_t>(); left > 0; --left) {
      std::string name = text();
      type.emplace_back(std::move(name), array_type());
    }
    return type;
  }

  // The type of an array whose size in bytes fits in 63 bits.
  TensorType array_type() {
    const auto dtype = number<uint8_t>();
    if (dtype > static_cast<uint8_t>(DType::kFloat64)) fail();
    TensorType type{static_cast<DType>(dtype), {}};
    int64_t bytes = size_of(type.dtype);
    for (int left = number<uint8_t>(); left > 0; --left) {
      const auto size = number<int64_t>();
      if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) fail();
      type.shape.push_back(size);
    }
    return type;
  }

  Tensor array() {
    const TensorType type = array_type();
    const std::string_view data = take(static_cast<uint64_t>(type.bytes()));
    Tensor array(type);
    if (!data.empty()) std::memcpy(array.data(), data.data(), data.size());
    return array;
  }

  std::string_view bytes_;
  const std::string& where_;
};

}  // namespace

void append_bytes(std::string& bytes, const Example& example) {
  if (example.local_rows() != nullptr) {  // a reader would take its zeros for data
    throw UsageError({.where = to_string(example.origin()),
                      .given = "a batch with the local rows of one process",
                      .expected = "examples that are equal in all processes, for a file",
                      .fix = "cache the rows before map_local() and batch_local()"});
  }
  append_origin(bytes, example.origin());
  append_number<uint64_t>(bytes, example.columns().size());
  for (const Example::Entry& entry : example.columns()) {
    append_text(bytes, entry.name);
    append_column(bytes, entry.value);
  }
  append_batch_types(bytes, example.batch_types());
  append_number<uint64_t>(bytes, example.row_origins().size());
  for (const Origin& row : example.row_origins()) append_origin(bytes, row);
}

Example example_of_bytes(std::string_view bytes, const std::string& where) { return Reader(bytes, where).example(); }

}  // namespace portatune::data
