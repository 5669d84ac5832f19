#include "portatune/jinja/string_literal.h"

#include <charconv>

#include "portatune/jinja/python_text.h"

namespace portatune::jinja {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view literal) : literal_(literal) {}

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

std::optional<std::string> unescaped(std::string_view literal) { return Reader(literal).run(); }

}  // namespace portatune::jinja
