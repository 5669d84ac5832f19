#include "portatune/jinja/token_stream.h"

#include "portatune/error.h"

namespace portatune::jinja {
namespace {

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
