#include "portatune/chat/jinja/print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "portatune/chat/jinja/python_text.h"

namespace portatune::jinja {
namespace {

// The shortest digits that read back as the same number, with an exponent where Python writes one.
std::string digits_of(double number) {
  std::array<char, 40> buffer{};
  const double size = std::abs(number);
  const bool is_plain = number == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr;
  std::string text(buffer.data(), end);
  if (is_plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string number_text(double number, const char* nan, const char* infinity) {
  if (std::isnan(number)) return nan;
  if (std::isinf(number)) return (number < 0 ? "-" : "") + std::string(infinity);
  return digits_of(number);
}

void append_hex(std::string& text, const char* prefix, unsigned value, int digits) {
  text += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 0xF];
}

std::string quoted(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos, has_double = text.find('"') != std::string::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string result(1, quote);
  for (const std::string_view character : characters_of(text)) {
    const char32_t c = code_point_at(character, 0).value;
    if (character == "\n") {
      result += "\\n";
    } else if (character == "\r") {
      result += "\\r";
    } else if (character == "\t") {
      result += "\\t";
    } else if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) {
      append_hex(result, "\\x", c, 2);
    } else if (c > 0x7F && is_space(c)) {
      append_hex(result, "\\u", c, 4);
    } else {
      if (character[0] == quote || character[0] == '\\') result += '\\';
      result += character;
    }
  }
  return result + quote;
}

std::string repr_of_list(const List& list) {
  if (list.kind == List::Kind::kView || list.kind == List::Kind::kGenerator) {
    throw Unsupported{"printing a generator or a view: use the filter \"list\""};
  }
  const bool is_tuple = list.kind == List::Kind::kTuple;
  std::string text = is_tuple ? "(" : "[";
  for (size_t i = 0; i < list.items.size(); ++i) text += (i == 0 ? "" : ", ") + repr(list.items[i]);
  require_bytes(static_cast<double>(text.size()));
  return text + (!is_tuple ? "]" : list.items.size() == 1 ? ",)" : ")");
}

std::string repr_of_dict(const Dict& dict) {
  std::string text = "{";
  for (const auto& [key, value] : dict.items) {
    if (text.size() > 1) text += ", ";
    text += repr(key) + ": " + repr(value);
  }
  require_bytes(static_cast<double>(text.size()));
  return text + "}";
}

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  void write(const Value& value) {
    require_bytes(static_cast<double>(text_.size()));
    if (const std::string* text = value.text()) return write_text(*text);
    if (const List* list = value.list(); list != nullptr && list->kind <= List::Kind::kTuple) return write_list(*list);
    if (const Dict* dict = value.dict()) return write_dict(*dict);
    if (const double* number = value.real()) {
      text_ += number_text(*number, "NaN", "Infinity");
    } else if (const bool* flag = value.boolean()) {
      text_ += *flag ? "true" : "false";
    } else if (const int64_t* integer = value.integer()) {
      text_ += std::to_string(*integer);
    } else if (value.is_none()) {
      text_ += "null";
    } else {
      throw Fault{"a value of type " + std::string(value.type()) + " for tojson", "a value that JSON can represent"};
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void write_text(const std::string& text) {
    text_ += '"';
    for (const std::string_view character : characters_of(text)) {
      constexpr std::string_view kEscaped = "\"\\\n\r\t\f\b", kLetters = "\"\\nrtfb";
      const size_t escape = kEscaped.find(character[0]);
      const char32_t c = code_point_at(character, 0).value;
      if (escape != std::string_view::npos) {
        text_ += {'\\', kLetters[escape]};
      } else if (c < 0x20) {
        append_hex(text_, "\\u", c, 4);
      } else if (c > 0x7E && style_.ensure_ascii) {
        write_code_units(c);
      } else {
        text_ += character;
      }
    }
    text_ += '"';
  }

  // Writes the UTF-16 code units of a code point.
  void write_code_units(char32_t c) {
    if (c == 0x7F) return text_.push_back('\x7F');
    if (c < 0x10000) return append_hex(text_, "\\u", c, 4);
    append_hex(text_, "\\u", 0xD800 + ((c - 0x10000) >> 10), 4);
    append_hex(text_, "\\u", 0xDC00 + ((c - 0x10000) & 0x3FF), 4);
  }

  void write_key(const Value& key) {
    if (key.text() != nullptr) return write(key);
    text_ += '"';
    write(key);
    text_ += '"';
  }

  void new_line() {
    if (!style_.indent) return;
    text_ += '\n';
    for (int i = 0; i < level_; ++i) text_ += *style_.indent;
  }

  template <class Items, class Write>
  void write_items(char open, char close, const Items& items, const Write& write_item) {
    text_ += open;
    ++level_;
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) text_ += style_.between_items;
      is_first = false;
      new_line();
      write_item(item);
    }
    --level_;
    if (!is_first) new_line();
    text_ += close;
  }

  void write_list(const List& list) {
    write_items('[', ']', list.items, [this](const Value& item) { write(item); });
  }

  void write_dict(const Dict& dict) {
    auto items = dict.items;
    if (style_.sort_keys) {
      std::ranges::sort(items, [](const auto& a, const auto& b) { return less(a.first, b.first); });
    }
    write_items('{', '}', items, [this](const auto& item) {
      write_key(item.first);
      text_ += style_.behind_keys;
      write(item.second);
    });
  }

  const JsonStyle& style_;
  std::string text_;
  int level_ = 0;
};

}  // namespace

std::string to_text(const Value& value) {
  if (const std::string* text = value.text()) return *text;
  if (value.is_undefined()) return {};
  return repr(value);
}

std::string repr(const Value& value) {
  if (const std::string* text = value.text()) return quoted(*text);
  if (const bool* flag = value.boolean()) return *flag ? "True" : "False";
  if (const int64_t* integer = value.integer()) return std::to_string(*integer);
  if (const double* number = value.real()) return number_text(*number, "nan", "inf");
  if (const List* list = value.list()) return repr_of_list(*list);
  if (const Dict* dict = value.dict()) return repr_of_dict(*dict);
  if (value.is_undefined()) return "Undefined";
  if (value.is_none()) return "None";
  throw Unsupported{"printing a value of type " + std::string(value.type())};
}

std::string to_json(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  writer.write(value);
  return writer.take();
}

}  // namespace portatune::jinja
