#include "portatune/chat/jinja/python_text.h"

#include <algorithm>
#include <charconv>

#include "portatune/base/text/utf8.h"
#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char upper_of(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower_of(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void require_ascii(std::string_view text, const char* what) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::ranges::all_of(text, is_ascii)) {
    throw Unsupported{std::string(what) + " of a text with characters beyond ASCII"};
  }
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

std::vector<std::string_view> split_at_blanks(std::string_view text, int64_t limit) {
  std::vector<std::string_view> parts;
  text = strip(text, {.right = false});
  while (!text.empty()) {
    if (limit >= 0 && std::ssize(parts) == limit) {
      parts.push_back(text);
      break;
    }
    size_t end = 0;
    while (end < text.size() && !is_space(code_point_at(text, end).value)) end += code_point_at(text, end).bytes;
    parts.push_back(text.substr(0, end));
    text = strip(text.substr(end), {.right = false});
  }
  return parts;
}

std::vector<std::string_view> split_from_right(std::string_view text, std::string_view separator, int64_t limit) {
  std::vector<std::string_view> parts;
  while (limit < 0 || std::ssize(parts) < limit) {
    const size_t at = text.rfind(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(at + separator.size()));
    text = text.substr(0, at);
  }
  parts.push_back(text);
  std::ranges::reverse(parts);
  return parts;
}

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view literal) : literal_(literal) {}

  std::optional<std::string> run() {
    while (at_ < literal_.size()) {
      if (literal_[at_] != '\\' || at_ + 1 == literal_.size()) {
        result_ += literal_[at_++];
      } else if (!read_escape()) {
        return std::nullopt;
      }
    }
    return std::move(result_);
  }

 private:
  bool read_escape() {
    const char c = literal_[at_ + 1];
    constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeant = "\\'\"\a\b\f\n\r\t\v";
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      result_ += kMeant[letter];
      at_ += 2;
    } else if (c == '\n') {  // a line continuation
      at_ += 2;
    } else if (c >= '0' && c <= '7') {
      return read_code(at_ + 1, 1, 3, 8);
    } else if (c == 'x') {
      return read_code(at_ + 2, 2, 2, 16);
    } else if (c == 'u') {
      return read_code(at_ + 2, 4, 4, 16);
    } else if (c == 'U') {
      return read_code(at_ + 2, 8, 8, 16);
    } else if (c == 'N') {
      return false;
    } else {
      result_ += '\\';
      ++at_;
    }
    return true;
  }

  bool read_code(size_t begin, size_t min_digits, size_t max_digits, int base) {
    const std::string_view digits = literal_.substr(begin, max_digits);
    uint32_t code = 0;
    const char* end = std::from_chars(digits.data(), digits.data() + digits.size(), code, base).ptr;
    const size_t size = static_cast<size_t>(end - digits.data());
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    if (size < min_digits || code > 0x10FFFF || is_surrogate) return false;
    append_utf8(result_, code);
    at_ = begin + size;
    return true;
  }

  const std::string_view literal_;
  size_t at_ = 0;
  std::string result_;
};

}  // namespace

CodePoint code_point_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  const Utf8Sequence sequence = utf8_sequence(text, at);
  if (sequence.wanted <= 1 || sequence.there < sequence.wanted) return {byte(0), 1};
  constexpr char32_t kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = byte(0) & kFirstBits[sequence.wanted];
  for (size_t i = 1; i < sequence.wanted; ++i) value = value << 6 | (byte(i) & 0x3F);
  return {value, sequence.wanted};
}

void append_utf8(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xE0 | c >> 12);
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
    }
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = code_point_at(text, at).bytes;
    characters.push_back(text.substr(at, bytes));
    at += bytes;
  }
  return characters;
}

int64_t length_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

void require_bytes(double bytes) {
  constexpr double kMaxBytes = 1 << 24;
  if (bytes > kMaxBytes) throw Fault{"a text of more than 16 MB", {}};
}

std::string_view strip(std::string_view text, Ends ends) {
  while (ends.left && !text.empty()) {
    const CodePoint first = code_point_at(text, 0);
    if (!is_space(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  while (ends.right && !text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    if (!is_space(code_point_at(text, at).value)) break;
    text = text.substr(0, at);
  }
  return text;
}

std::string_view strip(std::string_view text, std::string_view characters, Ends ends) {
  const std::vector<std::string_view> set = characters_of(characters);
  const auto is_in = [&](const auto& test) { return std::ranges::find_if(set, test); };
  while (ends.left) {
    const auto found = is_in([&](std::string_view c) { return text.starts_with(c); });
    if (found == set.end()) break;
    text.remove_prefix(found->size());
  }
  while (ends.right) {
    const auto found = is_in([&](std::string_view c) { return text.ends_with(c); });
    if (found == set.end()) break;
    text.remove_suffix(found->size());
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator, int64_t limit, bool from_right) {
  if (separator.empty()) {
    if (from_right && limit >= 0) throw Unsupported{"rsplit() at blanks with a limit"};
    return split_at_blanks(text, limit);
  }
  if (from_right) return split_from_right(text, separator, limit);
  std::vector<std::string_view> parts;
  while (limit < 0 || std::ssize(parts) < limit) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text = text.substr(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    const size_t end = at;
    at += c.bytes;
    if (!is_line_end(c.value)) continue;
    if (c.value == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.push_back(text.substr(begin, end - begin));
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::string replace(std::string_view text, std::string_view old, std::string_view by, int64_t limit) {
  if (old.empty()) throw Unsupported{"replace() of an empty text"};
  require_bytes(static_cast<double>(text.size()) +
                static_cast<double>(count_of(text, old)) * static_cast<double>(by.size()));
  std::string result;
  for (int64_t done = 0; limit < 0 || done < limit; ++done) {
    const size_t at = text.find(old);
    if (at == std::string_view::npos) break;
    result.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + old.size());
  }
  return result.append(text);
}

int64_t count_of(std::string_view text, std::string_view part) {
  if (part.empty()) return length_of(text) + 1;
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

std::string upper(std::string_view text) {
  require_ascii(text, "upper");
  std::string result(text);
  std::ranges::transform(result, result.begin(), upper_of);
  return result;
}

std::string lower(std::string_view text) {
  require_ascii(text, "lower");
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower_of);
  return result;
}

std::string capitalize(std::string_view text) {
  std::string result = lower(text);
  if (!result.empty()) result[0] = upper_of(result[0]);
  return result;
}

std::string title(std::string_view text, bool as_filter) {
  require_ascii(text, "title");
  std::string result;
  bool begins = true;
  for (const char c : text) {
    result.push_back(begins ? upper_of(c) : lower_of(c));
    begins = as_filter
                 ? is_space(static_cast<char32_t>(c)) || std::string_view("-({[<").find(c) != std::string_view::npos
                 : !is_letter(c);
  }
  return result;
}

std::optional<std::string> unescaped(std::string_view literal) { return LiteralReader(literal).run(); }

}  // namespace portatune::jinja
