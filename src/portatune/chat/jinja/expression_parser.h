// Parses expressions with Jinja's precedences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/chat/jinja/lexer.h"
#include "portatune/chat/jinja/syntax.h"

namespace portatune::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  /// An expression with optional `a if b else c`.
  ExpressionPtr conditional();
  /// An expression without `a if b else c`, as after the `in` of a `for`.
  ExpressionPtr logical_or();
  /// An expression, or a tuple if there are several with commas between them.
  ExpressionPtr tuple(bool with_conditional = true);
  /// The filters after a block's name: | a | b(c).
  std::vector<std::unique_ptr<const FilterCall>> filters();
  std::unique_ptr<const FilterCall> filter(ExpressionPtr of);

  /// Counts a level of nesting while it exists. The limit protects the stack.
  class Level {
   public:
    explicit Level(ExpressionParser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ExpressionParser& parser_;
  };

 private:
  class Chain;
  ExpressionPtr logical_and();
  ExpressionPtr logical_not();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool with_filters);
  ExpressionPtr primary();
  ExpressionPtr named(const Token& token);
  ExpressionPtr number(const Token& token);
  ExpressionPtr text();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr postfix(ExpressionPtr expression);
  ExpressionPtr filters_and_tests(ExpressionPtr expression);
  ExpressionPtr subscript(ExpressionPtr of);
  ExpressionPtr attribute(ExpressionPtr of);
  ExpressionPtr test(ExpressionPtr of);
  CallArguments arguments();
  CallArguments test_arguments();

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace portatune::jinja
