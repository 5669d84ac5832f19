#include "portatune/io/arrow/json_text.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/util/float16.h>
#include <arrow/util/utf8.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace portatune::arrow_plugin {
namespace {

using arrow::Status;
using arrow::Type;

constexpr int kMaxDepth = 64;

bool has_json_at(const arrow::DataType& type, int depth) {
  if (depth > kMaxDepth) return false;
  switch (type.id()) {
    case Type::EXTENSION:
      return has_json_at(*static_cast<const arrow::ExtensionType&>(type).storage_type(), depth + 1);
    case Type::DICTIONARY:
      return has_json_at(*static_cast<const arrow::DictionaryType&>(type).value_type(), depth + 1);
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::LIST_VIEW:
    case Type::LARGE_LIST_VIEW:
    case Type::FIXED_SIZE_LIST:
    case Type::STRUCT:
    case Type::MAP:
      return std::ranges::all_of(type.fields(),
                                 [&](const auto& field) { return has_json_at(*field->type(), depth + 1); });
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BOOL:
    case Type::NA:
      return true;
    default:
      return arrow::is_numeric(type.id()) || arrow::is_temporal(type.id()) || arrow::is_decimal(type.id());
  }
}

void append_quoted(std::string_view text, Text& json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') json += '\\';
    if (c == '\n') {
      json += "\\n";
    } else if (code < 0x20) {
      json += "\\u00";
      json += kDigits[code >> 4];
      json += kDigits[code & 15];
    } else {
      json += c;
    }
  }
  json += '"';
}

template <class T>
void append_number(T value, Text& text) {
  std::array<char, 32> digits;
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// Appends the shortest text from which the same number is read, or null for non-finite numbers.
template <class T>
void append_float(T value, Text& text) {
  std::isfinite(value) ? append_number(value, text) : static_cast<void>(text += "null");
}

template <class Array>
auto value_of(const arrow::Array& array, int64_t row) {
  return static_cast<const Array&>(array).Value(row);
}

template <class Array>
std::string_view view_of(const arrow::Array& array, int64_t row) {
  return static_cast<const Array&>(array).GetView(row);
}

// The characters of a string or of bytes.
std::string_view characters_of(const arrow::Array& array, int64_t row) {
  switch (array.type_id()) {
    case Type::STRING:
    case Type::BINARY:
      return view_of<arrow::BinaryArray>(array, row);
    case Type::STRING_VIEW:
      return view_of<arrow::StringViewArray>(array, row);
    default:
      return view_of<arrow::LargeBinaryArray>(array, row);
  }
}

template <class List>
Status append_list(const arrow::Array& array, int64_t row, Text& json) {
  const auto& list = static_cast<const List&>(array);
  const int64_t begin = list.value_offset(row), end = begin + list.value_length(row);
  json += '[';
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) json += ',';
    ARROW_RETURN_NOT_OK(append_json(*list.values(), i, json));
  }
  json += ']';
  return Status::OK();
}

Status append_struct(const arrow::Array& array, int64_t row, Text& json) {
  const auto& fields = static_cast<const arrow::StructArray&>(array);
  json += '{';
  for (int i = 0; i < fields.num_fields(); ++i) {
    if (i > 0) json += ',';
    append_quoted(fields.type()->field(i)->name(), json);
    json += ':';
    ARROW_RETURN_NOT_OK(append_json(*fields.field(i), row, json));
  }
  json += '}';
  return Status::OK();
}

// Appends a map. A key that is not text is written as its text form.
Status append_map(const arrow::Array& array, int64_t row, Text& json) {
  const auto& map = static_cast<const arrow::MapArray&>(array);
  json += '{';
  for (int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
    if (i > map.value_offset(row)) json += ',';
    Text key(json.get_allocator());
    ARROW_RETURN_NOT_OK(append_text(*map.keys(), i, key));
    append_quoted(key, json);
    json += ':';
    ARROW_RETURN_NOT_OK(append_json(*map.items(), i, json));
  }
  json += '}';
  return Status::OK();
}

Status append_scalar(const arrow::Array& array, int64_t row, Text& text) {
  ARROW_ASSIGN_OR_RAISE(const auto scalar, array.GetScalar(row));
  text += scalar->ToString();
  return Status::OK();
}

}  // namespace

bool has_json(const arrow::DataType& type) { return has_json_at(type, 0); }

Status append_json(const arrow::Array& array, int64_t row, Text& json) {
  const auto quoted_text = [&] {
    Text text(json.get_allocator());
    ARROW_RETURN_NOT_OK(append_text(array, row, text));
    append_quoted(text, json);
    return Status::OK();
  };
  if (array.IsNull(row)) {
    json += "null";
    return Status::OK();
  }
  switch (array.type_id()) {
    case Type::EXTENSION:
      return append_json(*static_cast<const arrow::ExtensionArray&>(array).storage(), row, json);
    case Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return append_json(*encoded.dictionary(), encoded.GetValueIndex(row), json);
    }
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
    case Type::BINARY:
    case Type::LARGE_BINARY:
      return quoted_text();
    default:
      const bool quotes = arrow::is_temporal(array.type_id()) || arrow::is_decimal(array.type_id());
      return quotes ? quoted_text() : append_text(array, row, json);
  }
}

Status append_text(const arrow::Array& array, int64_t row, Text& text) {
  if (array.IsNull(row)) return Status::OK();
  switch (array.type_id()) {
    case Type::EXTENSION:
      return append_text(*static_cast<const arrow::ExtensionArray&>(array).storage(), row, text);
    case Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return append_text(*encoded.dictionary(), encoded.GetValueIndex(row), text);
    }
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      text += characters_of(array, row);
      return Status::OK();
    case Type::BINARY:
    case Type::LARGE_BINARY: {
      const std::string_view bytes = characters_of(array, row);
      if (!arrow::util::ValidateUTF8(bytes)) return Status::Invalid("bytes that are not UTF-8, in a nested value");
      text += bytes;
      return Status::OK();
    }
    case Type::LIST:
      return append_list<arrow::ListArray>(array, row, text);
    case Type::LARGE_LIST:
      return append_list<arrow::LargeListArray>(array, row, text);
    case Type::LIST_VIEW:
      return append_list<arrow::ListViewArray>(array, row, text);
    case Type::LARGE_LIST_VIEW:
      return append_list<arrow::LargeListViewArray>(array, row, text);
    case Type::FIXED_SIZE_LIST:
      return append_list<arrow::FixedSizeListArray>(array, row, text);
    case Type::STRUCT:
      return append_struct(array, row, text);
    case Type::MAP:
      return append_map(array, row, text);
    case Type::BOOL:
      text += value_of<arrow::BooleanArray>(array, row) ? "true" : "false";
      return Status::OK();
    case Type::INT8:
      append_number(value_of<arrow::Int8Array>(array, row), text);
      return Status::OK();
    case Type::INT16:
      append_number(value_of<arrow::Int16Array>(array, row), text);
      return Status::OK();
    case Type::INT32:
      append_number(value_of<arrow::Int32Array>(array, row), text);
      return Status::OK();
    case Type::INT64:
      append_number(value_of<arrow::Int64Array>(array, row), text);
      return Status::OK();
    case Type::UINT8:
      append_number(value_of<arrow::UInt8Array>(array, row), text);
      return Status::OK();
    case Type::UINT16:
      append_number(value_of<arrow::UInt16Array>(array, row), text);
      return Status::OK();
    case Type::UINT32:
      append_number(value_of<arrow::UInt32Array>(array, row), text);
      return Status::OK();
    case Type::UINT64:
      append_number(value_of<arrow::UInt64Array>(array, row), text);
      return Status::OK();
    case Type::HALF_FLOAT:
      append_float(arrow::util::Float16::FromBits(value_of<arrow::HalfFloatArray>(array, row)).ToFloat(), text);
      return Status::OK();
    case Type::FLOAT:
      append_float(value_of<arrow::FloatArray>(array, row), text);
      return Status::OK();
    case Type::DOUBLE:
      append_float(value_of<arrow::DoubleArray>(array, row), text);
      return Status::OK();
    default:
      return append_scalar(array, row, text);  // dates, times, decimals
  }
}

}  // namespace portatune::arrow_plugin
