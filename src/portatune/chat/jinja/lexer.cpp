#include "portatune/chat/jinja/lexer.h"

#include <algorithm>
#include <optional>

#include "portatune/chat/jinja/python_text.h"
#include "portatune/error.h"

namespace portatune::jinja {
namespace {

using Kind = Token::Kind;

// Converts line ends as Python does, and drops the last one of the file.
std::string normalised(std::string_view source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i) {
    const bool is_pair = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
    if (!is_pair) text += source[i] == '\r' ? '\n' : source[i];
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  Lexer(std::string_view source, const std::string& where)
      : source_(normalised(source)), text_(source_), where_(where) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) read_data();
    add(Kind::kEnd, {});
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(std::string given, std::string expected) const {
    throw CheckpointError({.where = where_ + ", line " + std::to_string(line_),
                           .given = std::move(given),
                           .expected = std::move(expected)});
  }

  void add(Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  // Consumes the next `size` bytes.
  std::string_view take(size_t size) {
    const std::string_view taken = text_.substr(at_, size);
    line_ += static_cast<int>(std::ranges::count(taken, '\n'));
    at_ += taken.size();
    return taken;
  }
  bool is_next(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool skip(std::string_view what) {
    if (!is_next(what)) return false;
    take(what.size());
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_space(code_point_at(text_, at_).value)) take(code_point_at(text_, at_).bytes);
  }

  // Reads text up to a tag, and the tag.
  void read_data() {
    size_t tag = at_;
    do {
      tag = std::min(text_.find('{', tag), text_.size());
      if (tag + 1 < text_.size() && std::string_view("{%#").find(text_[tag + 1]) != std::string_view::npos) break;
    } while (tag++ < text_.size());
    tag = std::min(tag, text_.size());
    add_data(tag);
    if (at_ < text_.size()) read_tag();
  }

  void add_data(size_t tag) {
    std::string_view data = text_.substr(at_, tag - at_);
    const char sign = tag + 2 < text_.size() ? text_[tag + 2] : ' ';
    const bool is_block = tag + 1 < text_.size() && text_[tag + 1] != '{';
    if (tag < text_.size() && sign == '-') {
      data = strip(data, {.left = false});
    } else if (is_block && sign != '+') {
      const size_t line_begin = data.rfind('\n') + 1;  // 0 if there is none
      const bool begins_line = line_begin > 0 || at_ == 0 || text_[at_ - 1] == '\n';
      if (begins_line && strip(data.substr(line_begin)).empty()) data = data.substr(0, line_begin);
    }
    if (!data.empty()) add(Kind::kData, std::string(data));
    take(tag - at_);
  }

  void read_tag() {
    const char type = text_[at_ + 1];
    if (type == '%' && read_raw()) return;
    take(2);
    if (is_next("-") || is_next("+")) take(1);
    if (type == '#') return skip_comment();
    const int line = line_;
    add(type == '{' ? Kind::kVariableBegin : Kind::kBlockBegin, {});
    while (!read_end(type == '%')) {
      if (at_ == text_.size()) {
        line_ = line;
        fail("a tag without an end", type == '{' ? "}}" : "%}");
      }
      read_token();
    }
  }

  void skip_comment() {
    const size_t end = text_.find("#}", at_);
    if (end == std::string_view::npos) fail("a comment without an end", "#}");
    take(end - at_);
    const char sign = text_[at_ - 1];
    take(2);
    end_block(sign);
  }

  // Skips the whitespace that the end of a block or a comment removes.
  void end_block(char sign) {
    if (sign == '-') return skip_blanks();
    if (sign != '+') skip("\n");
  }

  // Skips whitespace, and reads the end of the tag if it follows.
  bool read_end(bool is_block) {
    skip_blanks();
    if (depth_ > 0) return false;
    const std::string_view end = is_block ? "%}" : "}}";
    const bool has_sign = is_next("-") || (is_block && is_next("+"));
    if (text_.substr(std::min(at_ + (has_sign ? 1 : 0), text_.size())).substr(0, 2) != end) return false;
    add(is_block ? Kind::kBlockEnd : Kind::kVariableEnd, {});
    const char sign = has_sign ? take(1)[0] : ' ';
    take(2);
    if (is_block) {
      end_block(sign);
    } else if (sign == '-') {
      skip_blanks();
    }
    return true;
  }

  // Reads {% raw %} up to {% endraw %}.
  bool read_raw() {
    const size_t tag = at_;
    const int line_of_tag = line_;
    if (!skip_raw_tag("raw")) {
      at_ = tag, line_ = line_of_tag;
      return false;
    }
    if (text_[at_ - 3] == '-') skip_blanks();
    for (size_t end = text_.find("{%", at_); end != std::string_view::npos; end = text_.find("{%", end + 2)) {
      const size_t begin = at_;
      const int line = line_;
      take(end - at_);
      const std::string_view data = text_.substr(begin, end - begin);
      const bool is_stripped = text_.substr(at_ + 2).starts_with('-');
      if (skip_raw_tag("endraw")) {
        tokens_.push_back({Kind::kData, std::string(is_stripped ? strip(data, {.left = false}) : data), line});
        end_block(text_[at_ - 3]);
        return true;
      }
      at_ = begin, line_ = line;
    }
    fail("a raw block without an end", "{% endraw %}");
  }

  bool skip_raw_tag(std::string_view name) {
    take(2);
    if (is_next("-") || is_next("+")) take(1);
    skip_blanks();
    if (!skip(name)) return false;
    skip_blanks();
    return skip("-%}") || skip("%}") || (name == "endraw" && skip("+%}"));
  }

  void read_token() {
    const char c = text_[at_];
    if (is_digit(c)) return read_number();
    if (begins_name(c)) return read_name();
    if (c == '\'' || c == '"') return read_text(c);
    read_operator();
  }

  void read_name() {
    size_t end = at_;
    while (end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]))) ++end;
    add(Kind::kName, std::string(take(end - at_)));
  }

  size_t end_of_digits(size_t at) const {
    while (at < text_.size() && (is_digit(text_[at]) || text_[at] == '_')) ++at;
    return at;
  }

  void read_number() {
    const size_t whole = end_of_digits(at_);
    size_t end = whole;
    const auto digit_at = [&](size_t at) { return at < text_.size() && is_digit(text_[at]); };
    if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) end = end_of_digits(end + 1);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const bool has_sign = end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+');
      const size_t exponent = end + (has_sign ? 2 : 1);
      if (digit_at(exponent)) end = end_of_digits(exponent);
    }
    const Kind kind = end == whole ? Kind::kInteger : Kind::kReal;
    std::string digits(take(end - at_));
    std::erase(digits, '_');
    add(kind, std::move(digits));
  }

  void read_text(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) fail("a string without an end", std::string(1, quote));
    const int line = line_;
    const std::string_view literal = take(end + 1 - at_);
    const std::optional<std::string> text = unescaped(literal.substr(1, literal.size() - 2));
    if (!text) fail("a string with an invalid escape", "an escape of Python");
    tokens_.push_back({Kind::kText, *text, line});
  }

  void read_operator() {
    constexpr std::string_view kPairs[] = {"**", "//", "==", "!=", ">=", "<="};
    const std::string_view pair = text_.substr(at_, 2);
    const size_t size = std::ranges::find(kPairs, pair) != std::end(kPairs) ? 2 : 1;
    constexpr std::string_view kSingles = "+-/*%~[](){}><=.:|,;";
    const char c = text_[at_];
    if (size == 1 && kSingles.find(c) == std::string_view::npos) fail("the character " + std::string(1, c), {});
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') {
      if (depth_ == 0) fail("an unmatched " + std::string(1, c), {});
      --depth_;
    }
    add(Kind::kOperator, std::string(take(size)));
  }

  const std::string source_;
  const std::string_view text_;
  const std::string& where_;
  size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;  // depth of brackets; no tag ends within them
  std::vector<Token> tokens_;
};

std::string description(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kData:
      return "text";
    case Token::Kind::kVariableBegin:
      return "{{";
    case Token::Kind::kVariableEnd:
      return "}}";
    case Token::Kind::kBlockBegin:
      return "{%";
    case Token::Kind::kBlockEnd:
      return "%}";
    case Token::Kind::kText:
      return "a string";
    case Token::Kind::kEnd:
      return "the end of the template";
    default:
      return token.text;
  }
}

}  // namespace

std::vector<Token> tokens_of(std::string_view source, const std::string& where) { return Lexer(source, where).run(); }

Token TokenStream::expect(Token::Kind kind, std::string_view what) {
  if (!is(kind)) fail_here(std::string(what));
  return next();
}

void TokenStream::expect_operator(std::string_view text) {
  if (!skip_operator(text)) fail_here(std::string(text));
}

void TokenStream::expect_name(std::string_view text) {
  if (!skip_name(text)) fail_here(std::string(text));
}

void TokenStream::fail(const std::string& given, const std::string& expected, int line) const {
  throw CheckpointError({.where = where_ + ", line " + std::to_string(line), .given = given, .expected = expected});
}

void TokenStream::fail_here(const std::string& expected) const { fail(description(current()), expected, line()); }

}  // namespace portatune::jinja
