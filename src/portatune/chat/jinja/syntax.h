// The syntax tree of a template: statements and expressions that run themselves.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

struct Expression {
  const int line;
  explicit Expression(int line) : line(line) {}
  virtual ~Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  virtual Value evaluate(Renderer& r) const = 0;
};
using ExpressionPtr = std::unique_ptr<const Expression>;
/// Evaluates an expression one level deeper, and counts a step.
Value value_of(const ExpressionPtr& expression, Renderer& r);

/// The control flow after a statement. `break` and `continue` leave all statements up to the loop.
enum class Flow { kNext, kBreak, kContinue };

struct Statement {
  const int line;
  explicit Statement(int line) : line(line) {}
  virtual ~Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  virtual Flow run(Renderer& r) const = 0;
};
using Body = std::vector<std::unique_ptr<const Statement>>;
Flow run_all(const Body& body, Renderer& r);

/// The target of an assignment: a name, an attribute of a namespace, or a tuple of names.
struct Target {
  std::string name, attribute;
  std::vector<Target> parts;
};

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  Arguments evaluate(Renderer& r) const;
};

// ---- expressions

struct Literal final : Expression {
  const Value value;
  Literal(int line, Value value) : Expression(line), value(std::move(value)) {}
  Value evaluate(Renderer&) const override { return value; }
};

struct Name final : Expression {
  const std::string name;
  Name(int line, std::string name) : Expression(line), name(std::move(name)) {}
  Value evaluate(Renderer& r) const override;
};

struct ListDisplay final : Expression {  // [a, b] and (a, b)
  const std::vector<ExpressionPtr> items;
  const List::Kind kind;
  ListDisplay(int line, std::vector<ExpressionPtr> items, List::Kind kind)
      : Expression(line), items(std::move(items)), kind(kind) {}
  Value evaluate(Renderer& r) const override;
};

struct DictDisplay final : Expression {
  const std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
  DictDisplay(int line, std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items)
      : Expression(line), items(std::move(items)) {}
  Value evaluate(Renderer& r) const override;
};

struct Attribute final : Expression {  // x.name
  const ExpressionPtr of;
  const std::string name;
  Attribute(int line, ExpressionPtr of, std::string name)
      : Expression(line), of(std::move(of)), name(std::move(name)) {}
  Value evaluate(Renderer& r) const override;
};

struct Item final : Expression {  // x[index]
  const ExpressionPtr of, index;
  Item(int line, ExpressionPtr of, ExpressionPtr index)
      : Expression(line), of(std::move(of)), index(std::move(index)) {}
  Value evaluate(Renderer& r) const override;
};

struct Slice final : Expression {  // x[begin:end:step]; each of the three may be null
  const ExpressionPtr of, begin, end, step;
  Slice(int line, ExpressionPtr of, ExpressionPtr begin, ExpressionPtr end, ExpressionPtr step)
      : Expression(line), of(std::move(of)), begin(std::move(begin)), end(std::move(end)), step(std::move(step)) {}
  Value evaluate(Renderer& r) const override;
};

struct Call final : Expression {
  const ExpressionPtr callee;
  const CallArguments arguments;
  Call(int line, ExpressionPtr callee, CallArguments arguments)
      : Expression(line), callee(std::move(callee)), arguments(std::move(arguments)) {}
  Value evaluate(Renderer& r) const override;
};

struct FilterCall final : Expression {  // of | name(arguments); `of` is null for {% filter %}
  const ExpressionPtr of;
  const std::string name;
  const CallArguments arguments;
  FilterCall(int line, ExpressionPtr of, std::string name, CallArguments arguments)
      : Expression(line), of(std::move(of)), name(std::move(name)), arguments(std::move(arguments)) {}
  Value evaluate(Renderer& r) const override;
  Value apply(const Value& to, Renderer& r) const;
};

struct TestCall final : Expression {  // of is name(arguments)
  const ExpressionPtr of;
  const std::string name;
  const CallArguments arguments;
  TestCall(int line, ExpressionPtr of, std::string name, CallArguments arguments)
      : Expression(line), of(std::move(of)), name(std::move(name)), arguments(std::move(arguments)) {}
  Value evaluate(Renderer& r) const override;
};

struct Unary final : Expression {  // not, -, +
  const char operation;
  const ExpressionPtr of;
  Unary(int line, char operation, ExpressionPtr of) : Expression(line), operation(operation), of(std::move(of)) {}
  Value evaluate(Renderer& r) const override;
};

struct Binary final : Expression {  // + - * / // % ** ~
  const std::string operation;
  const ExpressionPtr left, right;
  Binary(int line, std::string operation, ExpressionPtr left, ExpressionPtr right)
      : Expression(line), operation(std::move(operation)), left(std::move(left)), right(std::move(right)) {}
  Value evaluate(Renderer& r) const override;
};

struct Logical final : Expression {  // and, or: the value of one operand
  const bool is_and;
  const ExpressionPtr left, right;
  Logical(int line, bool is_and, ExpressionPtr left, ExpressionPtr right)
      : Expression(line), is_and(is_and), left(std::move(left)), right(std::move(right)) {}
  Value evaluate(Renderer& r) const override;
};

struct Comparison final : Expression {  // first < second < third: compares each with the next
  const ExpressionPtr first;
  const std::vector<std::pair<std::string, ExpressionPtr>> others;  // operator ("in", "not in", "==", ...), operand
  Comparison(int line, ExpressionPtr first, std::vector<std::pair<std::string, ExpressionPtr>> others)
      : Expression(line), first(std::move(first)), others(std::move(others)) {}
  Value evaluate(Renderer& r) const override;
};

struct Conditional final : Expression {  // yes if condition else no; `no` may be null
  const ExpressionPtr condition, yes, no;
  Conditional(int line, ExpressionPtr condition, ExpressionPtr yes, ExpressionPtr no)
      : Expression(line), condition(std::move(condition)), yes(std::move(yes)), no(std::move(no)) {}
  Value evaluate(Renderer& r) const override;
};

// ---- statements

struct Data final : Statement {
  const std::string text;
  Data(int line, std::string text) : Statement(line), text(std::move(text)) {}
  Flow run(Renderer& r) const override;
};

struct Print final : Statement {
  const ExpressionPtr value;
  Print(int line, ExpressionPtr value) : Statement(line), value(std::move(value)) {}
  Flow run(Renderer& r) const override;
};

struct If final : Statement {
  const ExpressionPtr condition;
  const Body yes, no;  // an elif is an If in `no`
  If(int line, ExpressionPtr condition, Body yes, Body no)
      : Statement(line), condition(std::move(condition)), yes(std::move(yes)), no(std::move(no)) {}
  Flow run(Renderer& r) const override;
};

struct For final : Statement {
  const Target target;
  const ExpressionPtr over, filter;  // `filter` may be null
  const Body body, otherwise;
  For(int line, Target target, ExpressionPtr over, ExpressionPtr filter, Body body, Body otherwise)
      : Statement(line),
        target(std::move(target)),
        over(std::move(over)),
        filter(std::move(filter)),
        body(std::move(body)),
        otherwise(std::move(otherwise)) {}
  Flow run(Renderer& r) const override;

 private:
  std::vector<Value> items(Renderer& r) const;
};

struct Jump final : Statement {
  const Flow flow;
  Jump(int line, Flow flow) : Statement(line), flow(flow) {}
  Flow run(Renderer&) const override { return flow; }
};

struct Set final : Statement {
  const Target target;
  const ExpressionPtr value;
  Set(int line, Target target, ExpressionPtr value)
      : Statement(line), target(std::move(target)), value(std::move(value)) {}
  Flow run(Renderer& r) const override;
};

struct SetBlock final : Statement {  // {% set x %}...{% endset %}; applies the filters in their order
  const Target target;
  const std::vector<std::unique_ptr<const FilterCall>> filters;
  const Body body;
  SetBlock(int line, Target target, std::vector<std::unique_ptr<const FilterCall>> filters, Body body)
      : Statement(line), target(std::move(target)), filters(std::move(filters)), body(std::move(body)) {}
  Flow run(Renderer& r) const override;
};

struct FilterBlock final : Statement {
  const std::vector<std::unique_ptr<const FilterCall>> filters;
  const Body body;
  FilterBlock(int line, std::vector<std::unique_ptr<const FilterCall>> filters, Body body)
      : Statement(line), filters(std::move(filters)), body(std::move(body)) {}
  Flow run(Renderer& r) const override;
};

struct With final : Statement {
  const std::vector<std::pair<Target, ExpressionPtr>> variables;
  const Body body;
  With(int line, std::vector<std::pair<Target, ExpressionPtr>> variables, Body body)
      : Statement(line), variables(std::move(variables)), body(std::move(body)) {}
  Flow run(Renderer& r) const override;
};

struct MacroDefinition final : Statement {
  const std::string name;
  const std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // with defaults, which may be null
  const Body body;
  MacroDefinition(int line, std::string name, std::vector<std::pair<std::string, ExpressionPtr>> parameters, Body body)
      : Statement(line), name(std::move(name)), parameters(std::move(parameters)), body(std::move(body)) {}
  Flow run(Renderer& r) const override;
};

struct Generation final : Statement {  // {% generation %}: the assistant's words
  const Body body;
  Generation(int line, Body body) : Statement(line), body(std::move(body)) {}
  Flow run(Renderer& r) const override;
};

}  // namespace portatune::jinja
