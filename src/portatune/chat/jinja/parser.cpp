#include "portatune/chat/jinja/parser.h"

#include <algorithm>
#include <map>

#include "portatune/chat/jinja/expression_parser.h"
#include "portatune/error.h"

namespace portatune::jinja {
namespace {

using Kind = Token::Kind;
using StatementPtr = std::unique_ptr<const Statement>;

class Parser {
 public:
  Parser(std::string_view source, const std::string& where)
      : tokens_(tokens_of(source, where), where), expressions_(tokens_) {}

  ParsedTemplate run() {
    Body whole = body({});
    return {.body = std::move(whole), .has_generation = has_generation_};
  }

 private:
  // Parses statements up to a tag with one of these names and stops at the name, or up to the end of the template.
  Body body(std::initializer_list<std::string_view> ends) {
    const ExpressionParser::Level level(expressions_);
    Body body;
    while (!tokens_.is(Kind::kEnd)) {
      const int line = tokens_.line();
      if (tokens_.is(Kind::kData)) {
        body.push_back(std::make_unique<Data>(line, tokens_.next().text));
      } else if (tokens_.is(Kind::kVariableBegin)) {
        tokens_.next();
        body.push_back(std::make_unique<Print>(line, expressions_.tuple()));
        tokens_.expect(Kind::kVariableEnd, "}}");
      } else {
        tokens_.expect(Kind::kBlockBegin, "{%");
        const auto is_here = [&](std::string_view name) { return tokens_.is_name(name); };
        if (std::ranges::any_of(ends, is_here)) return body;
        body.push_back(statement());
        tokens_.expect(Kind::kBlockEnd, "%}");
      }
    }
    if (ends.size() > 0) tokens_.fail_here("{% " + std::string(*(ends.end() - 1)) + " %}");
    return body;
  }

  // Parses the end of the current tag, then the body up to the tag `end`, which it consumes.
  Body body_of_tag(std::string_view end) {
    tokens_.expect(Kind::kBlockEnd, "%}");
    Body inner = body({end});
    tokens_.next();
    return inner;
  }

  StatementPtr statement() {
    const Token name = tokens_.expect(Kind::kName, "the name of a statement");
    using Read = StatementPtr (Parser::*)(int line);
    static const std::map<std::string_view, Read> kStatements = {
        {"if", &Parser::if_statement},
        {"for", &Parser::for_statement},
        {"set", &Parser::set_statement},
        {"macro", &Parser::macro},
        {"generation", &Parser::generation},
        {"filter", &Parser::filter_block},
        {"with", &Parser::with},
        {"break", &Parser::jump<Flow::kBreak>},
        {"continue", &Parser::jump<Flow::kContinue>},
    };
    const auto found = kStatements.find(name.text);
    if (found == kStatements.end()) {
      tokens_.fail("the statement \"" + name.text + "\"",
                   "if, for, set, macro, generation, filter, with, break, continue or raw", name.line);
    }
    return (this->*found->second)(name.line);
  }

  StatementPtr if_statement(int line) {
    ExpressionPtr condition = expressions_.tuple(false);
    tokens_.expect(Kind::kBlockEnd, "%}");
    Body yes = body({"elif", "else", "endif"}), no;
    const Token next = tokens_.next();
    if (next.text == "elif") {
      const ExpressionParser::Level level(expressions_);
      no.push_back(if_statement(next.line));
    } else if (next.text == "else") {
      no = body_of_tag("endif");
    }
    return std::make_unique<If>(line, std::move(condition), std::move(yes), std::move(no));
  }

  StatementPtr for_statement(int line) {
    Target target = target_tuple();
    tokens_.expect_name("in");
    ExpressionPtr over = expressions_.tuple(false);
    ExpressionPtr filter = tokens_.skip_name("if") ? expressions_.conditional() : nullptr;
    if (tokens_.is_name("recursive")) tokens_.fail("a recursive loop", "a macro that calls itself", line);
    tokens_.expect(Kind::kBlockEnd, "%}");
    ++loops_;
    Body inner = body({"else", "endfor"}), otherwise;
    --loops_;
    if (tokens_.next().text == "else") otherwise = body_of_tag("endfor");
    return std::make_unique<For>(line, std::move(target), std::move(over), std::move(filter), std::move(inner),
                                 std::move(otherwise));
  }

  StatementPtr set_statement(int line) {
    Target target = target_tuple();
    if (tokens_.skip_operator("=")) {
      return std::make_unique<Set>(line, std::move(target), expressions_.tuple());
    }
    auto filters = expressions_.filters();
    return std::make_unique<SetBlock>(line, std::move(target), std::move(filters), body_of_tag("endset"));
  }

  StatementPtr macro(int line) {
    std::string name = tokens_.expect(Kind::kName, "the macro's name").text;
    std::vector<std::pair<std::string, ExpressionPtr>> parameters;
    tokens_.expect_operator("(");
    while (!tokens_.is_operator(")")) {
      std::string parameter = tokens_.expect(Kind::kName, "a parameter").text;
      parameters.emplace_back(std::move(parameter), tokens_.skip_operator("=") ? expressions_.conditional() : nullptr);
      if (!tokens_.is_operator(")")) tokens_.expect_operator(",");
    }
    tokens_.expect_operator(")");
    const int loops = std::exchange(loops_, 0);
    Body inner = body_of_tag("endmacro");
    loops_ = loops;
    return std::make_unique<MacroDefinition>(line, std::move(name), std::move(parameters), std::move(inner));
  }

  StatementPtr generation(int line) {
    has_generation_ = true;
    const int loops = std::exchange(loops_, 0);
    Body inner = body_of_tag("endgeneration");
    loops_ = loops;
    return std::make_unique<Generation>(line, std::move(inner));
  }

  StatementPtr filter_block(int line) {
    std::vector<std::unique_ptr<const FilterCall>> filters;
    filters.push_back(expressions_.filter(nullptr));
    for (auto& filter : expressions_.filters()) filters.push_back(std::move(filter));
    return std::make_unique<FilterBlock>(line, std::move(filters), body_of_tag("endfilter"));
  }

  StatementPtr with(int line) {
    std::vector<std::pair<Target, ExpressionPtr>> variables;
    while (!tokens_.is(Kind::kBlockEnd)) {
      Target target = one_target();
      tokens_.expect_operator("=");
      variables.emplace_back(std::move(target), expressions_.conditional());
      if (!tokens_.is(Kind::kBlockEnd)) tokens_.expect_operator(",");
    }
    return std::make_unique<With>(line, std::move(variables), body_of_tag("endwith"));
  }

  template <Flow flow>
  StatementPtr jump(int line) {
    if (loops_ == 0) tokens_.fail("a break or continue", "a position within a loop", line);
    return std::make_unique<Jump>(line, flow);
  }

  Target target_tuple() {
    Target first = one_target();
    if (!tokens_.is_operator(",")) return first;
    Target tuple;
    tuple.parts.push_back(std::move(first));
    while (tokens_.skip_operator(",")) {
      const bool has_target = tokens_.is_operator("(") || (tokens_.is(Kind::kName) && !tokens_.is_name("in"));
      if (has_target) tuple.parts.push_back(one_target());
    }
    return tuple;
  }

  Target one_target() {
    if (tokens_.skip_operator("(")) {
      const ExpressionParser::Level level(expressions_);
      Target tuple = target_tuple();
      tokens_.expect_operator(")");
      return tuple;
    }
    Target target{.name = tokens_.expect(Kind::kName, "a name to assign to").text, .attribute = {}, .parts = {}};
    if (tokens_.skip_operator(".")) target.attribute = tokens_.expect(Kind::kName, "the name of an attribute").text;
    return target;
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  bool has_generation_ = false;
  int loops_ = 0;  // enclosing loops within the same macro
};

}  // namespace

ParsedTemplate parse(std::string_view source, const std::string& where) {
  constexpr size_t kMaxBytes = 1'000'000;
  if (source.size() > kMaxBytes) {
    throw CheckpointError(
        {.where = where, .given = std::to_string(source.size()) + " bytes", .expected = "at most 1 MB"});
  }
  return Parser(source, where).run();
}

}  // namespace portatune::jinja
