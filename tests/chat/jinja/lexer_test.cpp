#include "portatune/chat/jinja/lexer.h"

#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune::jinja {
namespace {

using Kind = Token::Kind;

TEST(Lexer, ReadsKindsTextsAndLines) {
  const std::vector<Token> tokens = tokens_of("a\n{{ x.y|f(1, 2.5) }}{%- if 'q' -%}\n\nb", "t");
  const std::vector<std::tuple<Kind, std::string, int>> expected = {
      {Kind::kData, "a\n", 1},     {Kind::kVariableBegin, "", 2}, {Kind::kName, "x", 2},   {Kind::kOperator, ".", 2},
      {Kind::kName, "y", 2},       {Kind::kOperator, "|", 2},     {Kind::kName, "f", 2},   {Kind::kOperator, "(", 2},
      {Kind::kInteger, "1", 2},    {Kind::kOperator, ",", 2},     {Kind::kReal, "2.5", 2}, {Kind::kOperator, ")", 2},
      {Kind::kVariableEnd, "", 2}, {Kind::kBlockBegin, "", 2},    {Kind::kName, "if", 2},  {Kind::kText, "q", 2},
      {Kind::kBlockEnd, "", 2},    {Kind::kData, "b", 4},         {Kind::kEnd, "", 4},
  };
  ASSERT_EQ(tokens.size(), expected.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(std::tuple(tokens[i].kind, tokens[i].text, tokens[i].line), expected[i]) << i;
  }
}

TEST(Lexer, NoTagEndsWithinBrackets) {
  const std::vector<Token> tokens = tokens_of("{{ {'a': {}} }}", "t");
  EXPECT_EQ(tokens[tokens.size() - 2].kind, Kind::kVariableEnd);
  EXPECT_EQ(tokens.size(), 9u);
}

TEST(Lexer, ErrorNamesTheLineOfAnUnclosedTag) {
  try {
    tokens_of("\n\n{% if x\n\n\n", "t");
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_STREQ(error.what(), "t, line 3\n  given     a tag without an end\n  expected  %}");
  }
}

}  // namespace
}  // namespace portatune::jinja
