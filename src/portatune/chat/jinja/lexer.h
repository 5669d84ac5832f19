// The tokens of a template, and their stream.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::jinja {

struct Token {
  enum class Kind {
    kData,  ///< text outside of all tags, without the whitespace that tags remove
    kVariableBegin,
    kVariableEnd,
    kBlockBegin,
    kBlockEnd,
    kName,
    kText,  ///< a string literal with its escapes resolved
    kInteger,
    kReal,
    kOperator,
    kEnd
  };
  Kind kind;
  std::string text;
  int line;
};

/// The tokens of a source, as in Jinja with trim_blocks and lstrip_blocks: the line feed after a block or a comment is
/// dropped, and so is whitespace between the start of a line and a block or a comment. Comments and raw blocks are
/// resolved; the last token is kEnd.
/// where   name of the template in errors
/// errors  CheckpointError, with the line, for a tag, a comment or a string without an end, and for a character outside
///         of Jinja's syntax
std::vector<Token> tokens_of(std::string_view source, const std::string& where);

/// A stream of the tokens of a template.
class TokenStream {
 public:
  TokenStream(std::vector<Token> tokens, std::string where) : tokens_(std::move(tokens)), where_(std::move(where)) {}

  const Token& current() const { return tokens_[at_]; }
  int line() const { return current().line; }
  Token next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }

  bool is(Token::Kind kind) const { return current().kind == kind; }
  bool is_operator(std::string_view text) const { return is(Token::Kind::kOperator) && current().text == text; }
  bool is_name(std::string_view text) const { return is(Token::Kind::kName) && current().text == text; }
  /// True if the token after the current one is this name or operator.
  bool is_followed_by(Token::Kind kind, std::string_view text) const {
    return at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == kind && tokens_[at_ + 1].text == text;
  }
  bool skip_operator(std::string_view text) { return is_operator(text) && (next(), true); }
  bool skip_name(std::string_view text) { return is_name(text) && (next(), true); }

  // Consumes a token.
  // errors  CheckpointError, with the line, unless the token is the expected one
  Token expect(Token::Kind kind, std::string_view what);
  void expect_operator(std::string_view text);
  void expect_name(std::string_view text);

  [[noreturn]] void fail(const std::string& given, const std::string& expected, int line) const;
  [[noreturn]] void fail_here(const std::string& expected) const;

 private:
  const std::vector<Token> tokens_;
  const std::string where_;
  size_t at_ = 0;
};

}  // namespace portatune::jinja
