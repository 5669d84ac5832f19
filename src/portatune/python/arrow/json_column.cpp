#include "portatune/python/arrow/json_column.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "portatune/base/text/utf8.h"
#include "portatune/error.h"
#include "portatune/tensor.h"

namespace portatune::python {
namespace {

template <class T>
const T* buffer(const ArrowArray& array, int index) {
  return static_cast<const T*>(array.buffers[index]);
}

bool bit_at(const uint8_t* bits, int64_t place) { return (bits[place / 8] >> (place % 8) & 1) != 0; }

template <class T>
void append_number(T value, std::string& json) {
  std::array<char, 32> digits;
  json.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

template <class T>
void append_float(T value, std::string& json) {
  std::isfinite(value) ? append_number(value, json) : static_cast<void>(json += "null");
}

class NullColumn final : public JsonColumn {
  bool is_null(const ArrowArray&, int64_t) const override { return true; }
  void append_value(const ArrowArray&, int64_t, std::string&) const override {}
};

class BoolColumn final : public JsonColumn {
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    json += bit_at(buffer<uint8_t>(array, 1), place) ? "true" : "false";
  }
};

template <class T>
class IntegerColumn final : public JsonColumn {
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    append_number(buffer<T>(array, 1)[place], json);
  }
};

// Float or double.
template <class T>
class FloatColumn final : public JsonColumn {
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    append_float(buffer<T>(array, 1)[place], json);
  }
};

class HalfColumn final : public JsonColumn {
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    append_float(from_float16(buffer<uint16_t>(array, 1)[place]), json);
  }
};

void append_characters(std::string_view text, bool is_text, std::string& json) {
  if (!is_text && find_invalid_utf8(text) != std::string_view::npos) {
    throw DataError({.where = "a table in memory",
                     .given = "bytes that are not UTF-8",
                     .expected = "texts or numbers",
                     .fix = "give the paths of files, or a Parquet file"});
  }
  append_json_text(text, json);
}

// Texts or bytes, whose ends are in a buffer of offsets.
template <class Offset>
class TextColumn final : public JsonColumn {
 public:
  explicit TextColumn(bool is_text) : is_text_(is_text) {}

 private:
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    const auto* const ends = buffer<Offset>(array, 1);
    const char* const characters = buffer<char>(array, 2);
    append_characters({characters + ends[place], static_cast<size_t>(ends[place + 1] - ends[place])}, is_text_, json);
  }

  const bool is_text_;
};

// Texts or bytes as views of 16 bytes: the size, then either the text, or four of its bytes, a buffer and an offset.
class TextViewColumn final : public JsonColumn {
 public:
  explicit TextViewColumn(bool is_text) : is_text_(is_text) {}

 private:
  static constexpr int32_t kInlineSize = 12;

  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    const char* const view = buffer<char>(array, 1) + 16 * place;
    std::array<int32_t, 4> parts;
    std::memcpy(parts.data(), view, sizeof parts);
    const auto [size, start, index, offset] = parts;
    const char* const text = size <= kInlineSize ? view + 4 : buffer<char>(array, 2 + index) + offset;
    append_characters({text, static_cast<size_t>(size)}, is_text_, json);
  }

  const bool is_text_;
};

using Element = std::unique_ptr<const JsonColumn>;

void append_list(const JsonColumn& element, const ArrowArray& elements, int64_t begin, int64_t end, std::string& json) {
  json += '[';
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) json += ',';
    element.append(elements, i, json);
  }
  json += ']';
}

template <class Offset>
class ListColumn final : public JsonColumn {
 public:
  explicit ListColumn(Element element) : element_(std::move(element)) {}

 private:
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    const auto* const ends = buffer<Offset>(array, 1);
    append_list(*element_, *array.children[0], ends[place], ends[place + 1], json);
  }

  const Element element_;
};

// Lists whose begins and sizes are in two buffers.
template <class Offset>
class ListViewColumn final : public JsonColumn {
 public:
  explicit ListViewColumn(Element element) : element_(std::move(element)) {}

 private:
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    const Offset begin = buffer<Offset>(array, 1)[place];
    append_list(*element_, *array.children[0], begin, begin + buffer<Offset>(array, 2)[place], json);
  }

  const Element element_;
};

class FixedListColumn final : public JsonColumn {
 public:
  FixedListColumn(Element element, int64_t size) : element_(std::move(element)), size_(size) {}

 private:
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    append_list(*element_, *array.children[0], place * size_, (place + 1) * size_, json);
  }

  const Element element_;
  const int64_t size_;
};

class StructColumn final : public JsonColumn {
 public:
  void add(std::string_view name, Element element) {
    std::string key;
    append_json_text(name, key);
    fields_.emplace_back(key + ':', std::move(element));
  }

 private:
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    json += '{';
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (i > 0) json += ',';
      json += fields_[i].first;
      fields_[i].second->append(*array.children[i], place, json);
    }
    json += '}';
  }

  std::vector<std::pair<std::string, Element>> fields_;  // quoted names with a colon, and values
};

// Indices into an array of the values.
template <class Index>
class DictionaryColumn final : public JsonColumn {
 public:
  explicit DictionaryColumn(Element element) : element_(std::move(element)) {}

 private:
  void append_value(const ArrowArray& array, int64_t place, std::string& json) const override {
    element_->append(*array.dictionary, static_cast<int64_t>(buffer<Index>(array, 1)[place]), json);
  }

  const Element element_;
};

// The column of the integers of a format. Null for another format.
template <template <class> class Column, class... Arguments>
Element of_integers(std::string_view format, Arguments... arguments) {
  if (format == "c") return std::make_unique<Column<int8_t>>(std::move(arguments)...);
  if (format == "C") return std::make_unique<Column<uint8_t>>(std::move(arguments)...);
  if (format == "s") return std::make_unique<Column<int16_t>>(std::move(arguments)...);
  if (format == "S") return std::make_unique<Column<uint16_t>>(std::move(arguments)...);
  if (format == "i") return std::make_unique<Column<int32_t>>(std::move(arguments)...);
  if (format == "I") return std::make_unique<Column<uint32_t>>(std::move(arguments)...);
  if (format == "l") return std::make_unique<Column<int64_t>>(std::move(arguments)...);
  if (format == "L") return std::make_unique<Column<uint64_t>>(std::move(arguments)...);
  return nullptr;
}

Element of_list(std::string_view format, const ArrowSchema& schema) {
  Element element = json_column(*schema.children[0]);
  if (!element) return nullptr;
  if (format == "+l") return std::make_unique<ListColumn<int32_t>>(std::move(element));
  if (format == "+L") return std::make_unique<ListColumn<int64_t>>(std::move(element));
  if (format == "+vl") return std::make_unique<ListViewColumn<int32_t>>(std::move(element));
  if (format == "+vL") return std::make_unique<ListViewColumn<int64_t>>(std::move(element));
  const std::string_view size = format.substr(3);  // "+w:8"
  int64_t count = 0;
  std::from_chars(size.data(), size.data() + size.size(), count);
  return std::make_unique<FixedListColumn>(std::move(element), count);
}

Element of_struct(const ArrowSchema& schema) {
  auto column = std::make_unique<StructColumn>();
  for (int64_t i = 0; i < schema.n_children; ++i) {
    Element element = json_column(*schema.children[i]);
    if (!element) return nullptr;
    column->add(schema.children[i]->name, std::move(element));
  }
  return column;
}

}  // namespace

void JsonColumn::append(const ArrowArray& array, int64_t row, std::string& json) const {
  const int64_t place = row + array.offset;
  is_null(array, place) ? static_cast<void>(json += "null") : append_value(array, place, json);
}

bool JsonColumn::is_null(const ArrowArray& array, int64_t place) const {
  return array.null_count != 0 && array.buffers[0] != nullptr && !bit_at(buffer<uint8_t>(array, 0), place);
}

std::unique_ptr<const JsonColumn> json_column(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) {
    Element element = json_column(*schema.dictionary);
    return element ? of_integers<DictionaryColumn>(format, std::move(element)) : nullptr;
  }
  if (format == "n") return std::make_unique<NullColumn>();
  if (format == "b") return std::make_unique<BoolColumn>();
  if (format == "e") return std::make_unique<HalfColumn>();
  if (format == "f") return std::make_unique<FloatColumn<float>>();
  if (format == "g") return std::make_unique<FloatColumn<double>>();
  if (format == "u" || format == "z") return std::make_unique<TextColumn<int32_t>>(format == "u");
  if (format == "U" || format == "Z") return std::make_unique<TextColumn<int64_t>>(format == "U");
  if (format == "vu" || format == "vz") return std::make_unique<TextViewColumn>(format == "vu");
  if (format == "+s") return of_struct(schema);
  const bool is_list = format == "+l" || format == "+L" || format == "+vl" || format == "+vL";
  if (is_list || format.starts_with("+w:")) return of_list(format, schema);
  return of_integers<IntegerColumn>(format);
}

void append_json_text(std::string_view text, std::string& json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
  json += '"';
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && is_plain(text[end])) ++end;
    json.append(text, begin, end - begin);
    if (end == text.size()) break;
    const char c = text[end];
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else {
      const auto code = static_cast<unsigned char>(c);
      json += {'\\', 'u', '0', '0', kDigits[code >> 4], kDigits[code & 15]};
    }
    begin = end + 1;
  }
  json += '"';
}

}  // namespace portatune::python
