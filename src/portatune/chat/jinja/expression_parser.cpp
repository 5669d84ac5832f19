#include "portatune/chat/jinja/expression_parser.h"

#include <algorithm>
#include <charconv>

namespace portatune::jinja {

using Kind = Token::Kind;

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
  constexpr int kMaxDepth = 100;
  if (++parser_.depth_ <= kMaxDepth) return;
  --parser_.depth_;
  parser_.tokens_.fail("nested brackets or blocks", "at most 100 levels", parser_.tokens_.line());
}

// Counts the operands of one level, because the tree of a + b + c is as deep as the number of its operators.
class ExpressionParser::Chain {
 public:
  explicit Chain(const TokenStream& tokens) : tokens_(tokens) {}
  void grow() {
    constexpr int kMaxOperands = 200;
    if (++length_ > kMaxOperands) tokens_.fail("an expression of more than 200 operands", {}, tokens_.line());
  }

 private:
  const TokenStream& tokens_;
  int length_ = 0;
};

ExpressionPtr ExpressionParser::conditional() {
  const Level level(*this);
  const int line = tokens_.line();
  ExpressionPtr value = logical_or();
  Chain chain(tokens_);
  while (tokens_.skip_name("if")) {
    chain.grow();
    ExpressionPtr condition = logical_or();
    ExpressionPtr otherwise = tokens_.skip_name("else") ? conditional() : nullptr;
    value = std::make_unique<Conditional>(line, std::move(condition), std::move(value), std::move(otherwise));
  }
  return value;
}

ExpressionPtr ExpressionParser::logical_or() {
  ExpressionPtr left = logical_and();
  Chain chain(tokens_);
  for (int line = tokens_.line(); tokens_.skip_name("or"); chain.grow()) {
    left = std::make_unique<Logical>(line, false, std::move(left), logical_and());
  }
  return left;
}

ExpressionPtr ExpressionParser::logical_and() {
  ExpressionPtr left = logical_not();
  Chain chain(tokens_);
  for (int line = tokens_.line(); tokens_.skip_name("and"); chain.grow()) {
    left = std::make_unique<Logical>(line, true, std::move(left), logical_not());
  }
  return left;
}

ExpressionPtr ExpressionParser::logical_not() {
  const int line = tokens_.line();
  if (!tokens_.skip_name("not")) return comparison();
  const Level level(*this);
  return std::make_unique<Unary>(line, '!', logical_not());
}

ExpressionPtr ExpressionParser::comparison() {
  const int line = tokens_.line();
  ExpressionPtr first = sum();
  std::vector<std::pair<std::string, ExpressionPtr>> others;
  while (true) {
    constexpr std::string_view kOperators[] = {"==", "!=", "<", "<=", ">", ">="};
    const bool is_operator =
        tokens_.is(Kind::kOperator) && std::ranges::find(kOperators, tokens_.current().text) != std::end(kOperators);
    if (is_operator) {
      const std::string operation = tokens_.next().text;
      others.emplace_back(operation, sum());
    } else if (tokens_.skip_name("in")) {
      others.emplace_back("in", sum());
    } else if (tokens_.is_name("not") && tokens_.is_followed_by(Kind::kName, "in")) {
      tokens_.next();
      tokens_.next();
      others.emplace_back("not in", sum());
    } else {
      break;
    }
  }
  if (others.empty()) return first;
  return std::make_unique<Comparison>(line, std::move(first), std::move(others));
}

ExpressionPtr ExpressionParser::sum() {
  ExpressionPtr left = concatenation();
  Chain chain(tokens_);
  for (; tokens_.is_operator("+") || tokens_.is_operator("-"); chain.grow()) {
    const Token operation = tokens_.next();
    left = std::make_unique<Binary>(operation.line, operation.text, std::move(left), concatenation());
  }
  return left;
}

ExpressionPtr ExpressionParser::concatenation() {
  ExpressionPtr left = product();
  Chain chain(tokens_);
  for (; tokens_.is_operator("~"); chain.grow()) {
    const Token operation = tokens_.next();
    left = std::make_unique<Binary>(operation.line, operation.text, std::move(left), product());
  }
  return left;
}

ExpressionPtr ExpressionParser::product() {
  ExpressionPtr left = power();
  Chain chain(tokens_);
  const auto is_product = [&] {
    return std::ranges::any_of(std::initializer_list<const char*>{"*", "/", "//", "%"},
                               [&](const char* text) { return tokens_.is_operator(text); });
  };
  for (; is_product(); chain.grow()) {
    const Token operation = tokens_.next();
    left = std::make_unique<Binary>(operation.line, operation.text, std::move(left), power());
  }
  return left;
}

// Parses powers from the left, unlike Python.
ExpressionPtr ExpressionParser::power() {
  ExpressionPtr left = unary(true);
  Chain chain(tokens_);
  for (; tokens_.is_operator("**"); chain.grow()) {
    const Token operation = tokens_.next();
    left = std::make_unique<Binary>(operation.line, operation.text, std::move(left), unary(true));
  }
  return left;
}

ExpressionPtr ExpressionParser::unary(bool with_filters) {
  const Level level(*this);
  ExpressionPtr expression;
  if (tokens_.is_operator("-") || tokens_.is_operator("+")) {
    const Token sign = tokens_.next();
    expression = std::make_unique<Unary>(sign.line, sign.text[0], unary(false));
  } else {
    expression = primary();
  }
  expression = postfix(std::move(expression));
  return with_filters ? filters_and_tests(std::move(expression)) : std::move(expression);
}

ExpressionPtr ExpressionParser::primary() {
  if (tokens_.is(Kind::kName)) return named(tokens_.next());
  if (tokens_.is(Kind::kText)) return text();
  if (tokens_.is(Kind::kInteger) || tokens_.is(Kind::kReal)) return number(tokens_.next());
  if (tokens_.is_operator("[")) return list();
  if (tokens_.is_operator("{")) return dict();
  const int line = tokens_.line();
  if (!tokens_.skip_operator("(")) tokens_.fail_here("an expression");
  ExpressionPtr inner;
  if (tokens_.is_operator(")")) {
    inner = std::make_unique<ListDisplay>(line, std::vector<ExpressionPtr>(), List::Kind::kTuple);
  } else {
    inner = tuple();
  }
  tokens_.expect_operator(")");
  return inner;
}

ExpressionPtr ExpressionParser::named(const Token& token) {
  const auto is = [&](const char* a, const char* b) { return token.text == a || token.text == b; };
  if (is("true", "True")) return std::make_unique<Literal>(token.line, Value(true));
  if (is("false", "False")) return std::make_unique<Literal>(token.line, Value(false));
  if (is("none", "None")) return std::make_unique<Literal>(token.line, Value(None{}));
  return std::make_unique<Name>(token.line, token.text);
}

ExpressionPtr ExpressionParser::number(const Token& token) {
  const char *begin = token.text.data(), *end = begin + token.text.size();
  if (token.kind == Kind::kReal) {
    double value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc())
      return std::make_unique<Literal>(token.line, Value(value));
  } else {
    int64_t value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc())
      return std::make_unique<Literal>(token.line, Value(value));
  }
  tokens_.fail(token.text, "a number of 64 bits", token.line);
}

// Adjacent strings are one string.
ExpressionPtr ExpressionParser::text() {
  const int line = tokens_.line();
  std::string joined;
  while (tokens_.is(Kind::kText)) joined += tokens_.next().text;
  return std::make_unique<Literal>(line, Value(std::move(joined)));
}

ExpressionPtr ExpressionParser::list() {
  const int line = tokens_.line();
  tokens_.expect_operator("[");
  std::vector<ExpressionPtr> items;
  while (!tokens_.is_operator("]")) {
    items.push_back(conditional());
    if (!tokens_.is_operator("]")) tokens_.expect_operator(",");
  }
  tokens_.expect_operator("]");
  return std::make_unique<ListDisplay>(line, std::move(items), List::Kind::kList);
}

ExpressionPtr ExpressionParser::dict() {
  const int line = tokens_.line();
  tokens_.expect_operator("{");
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
  while (!tokens_.is_operator("}")) {
    ExpressionPtr key = conditional();
    tokens_.expect_operator(":");
    items.emplace_back(std::move(key), conditional());
    if (!tokens_.is_operator("}")) tokens_.expect_operator(",");
  }
  tokens_.expect_operator("}");
  return std::make_unique<DictDisplay>(line, std::move(items));
}

ExpressionPtr ExpressionParser::tuple(bool with_conditional) {
  const int line = tokens_.line();
  const auto one = [&] { return with_conditional ? conditional() : logical_or(); };
  const auto is_end = [&] {
    return tokens_.is_operator(")") || tokens_.is(Kind::kVariableEnd) || tokens_.is(Kind::kBlockEnd);
  };
  ExpressionPtr first = one();
  if (!tokens_.is_operator(",")) return first;
  std::vector<ExpressionPtr> items;
  items.push_back(std::move(first));
  while (tokens_.skip_operator(",") && !is_end()) items.push_back(one());
  return std::make_unique<ListDisplay>(line, std::move(items), List::Kind::kTuple);
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr expression) {
  Chain chain(tokens_);
  while (true) {
    chain.grow();
    const int line = tokens_.line();
    if (tokens_.is_operator(".")) {
      expression = attribute(std::move(expression));
    } else if (tokens_.is_operator("[")) {
      expression = subscript(std::move(expression));
    } else if (tokens_.is_operator("(")) {
      expression = std::make_unique<Call>(line, std::move(expression), arguments());
    } else {
      return expression;
    }
  }
}

ExpressionPtr ExpressionParser::filters_and_tests(ExpressionPtr expression) {
  Chain chain(tokens_);
  while (true) {
    chain.grow();
    const int line = tokens_.line();
    if (tokens_.skip_operator("|")) {
      expression = filter(std::move(expression));
    } else if (tokens_.skip_name("is")) {
      expression = test(std::move(expression));
    } else if (tokens_.is_operator("(")) {
      expression = std::make_unique<Call>(line, std::move(expression), arguments());
    } else {
      return expression;
    }
  }
}

ExpressionPtr ExpressionParser::attribute(ExpressionPtr of) {
  const int line = tokens_.line();
  tokens_.expect_operator(".");
  if (tokens_.is(Kind::kInteger)) return std::make_unique<Item>(line, std::move(of), number(tokens_.next()));
  const Token name = tokens_.expect(Kind::kName, "a name");
  return std::make_unique<Attribute>(line, std::move(of), name.text);
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr of) {
  const int line = tokens_.line();
  tokens_.expect_operator("[");
  ExpressionPtr parts[3];
  size_t colons = 0;
  while (!tokens_.is_operator("]")) {
    if (tokens_.is_operator(":") && colons < 2) {
      tokens_.next();
      ++colons;
    } else if (parts[colons] == nullptr) {
      parts[colons] = conditional();
    } else {
      tokens_.fail_here("]");
    }
  }
  tokens_.expect_operator("]");
  if (colons > 0) {
    return std::make_unique<Slice>(line, std::move(of), std::move(parts[0]), std::move(parts[1]), std::move(parts[2]));
  }
  if (parts[0] == nullptr) tokens_.fail("[]", "an index", line);
  return std::make_unique<Item>(line, std::move(of), std::move(parts[0]));
}

CallArguments ExpressionParser::arguments() {
  CallArguments arguments;
  tokens_.expect_operator("(");
  while (!tokens_.is_operator(")")) {
    if (tokens_.is_operator("*") || tokens_.is_operator("**")) {
      tokens_.fail("unpacked arguments (*, **)", "separate arguments", tokens_.line());
    }
    if (tokens_.is(Kind::kName) && tokens_.is_followed_by(Kind::kOperator, "=")) {
      std::string name = tokens_.next().text;
      tokens_.next();
      arguments.named.emplace_back(std::move(name), conditional());
    } else {
      if (!arguments.named.empty()) tokens_.fail_here("positional arguments before named ones");
      arguments.positional.push_back(conditional());
    }
    if (!tokens_.is_operator(")")) tokens_.expect_operator(",");
  }
  tokens_.expect_operator(")");
  return arguments;
}

std::unique_ptr<const FilterCall> ExpressionParser::filter(ExpressionPtr of) {
  const Token name = tokens_.expect(Kind::kName, "the name of a filter");
  CallArguments given = tokens_.is_operator("(") ? arguments() : CallArguments{};
  return std::make_unique<FilterCall>(name.line, std::move(of), name.text, std::move(given));
}

std::vector<std::unique_ptr<const FilterCall>> ExpressionParser::filters() {
  std::vector<std::unique_ptr<const FilterCall>> filters;
  while (tokens_.skip_operator("|")) filters.push_back(filter(nullptr));
  return filters;
}

ExpressionPtr ExpressionParser::test(ExpressionPtr of) {
  const int line = tokens_.line();
  const bool is_negated = tokens_.skip_name("not");
  const Token name = tokens_.expect(Kind::kName, "the name of a test");
  ExpressionPtr test = std::make_unique<TestCall>(line, std::move(of), name.text, test_arguments());
  return is_negated ? std::make_unique<Unary>(line, '!', std::move(test)) : std::move(test);
}

// Parses arguments in brackets, or one without: `is divisibleby 3`.
CallArguments ExpressionParser::test_arguments() {
  if (tokens_.is_operator("(")) return arguments();
  CallArguments one;
  const auto is_word = [&](const char* word) { return tokens_.is_name(word); };
  const bool is_name = tokens_.is(Kind::kName) && !is_word("else") && !is_word("or") && !is_word("and");
  // As in Jinja, this takes `if` for an argument. No chat template has `if` after a test.
  const bool is_literal = tokens_.is(Kind::kText) || tokens_.is(Kind::kInteger) || tokens_.is(Kind::kReal);
  if (is_word("is")) tokens_.fail("a test of a test", "brackets around the first test", tokens_.line());
  if (is_name || is_literal || tokens_.is_operator("[") || tokens_.is_operator("{")) {
    one.positional.push_back(postfix(primary()));
  }
  return one;
}

}  // namespace portatune::jinja
