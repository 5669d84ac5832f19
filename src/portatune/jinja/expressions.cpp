// The evaluation of expressions.
#include "portatune/jinja/access.h"
#include "portatune/jinja/filters.h"
#include "portatune/jinja/operators.h"
#include "portatune/jinja/renderer.h"
#include "portatune/jinja/syntax.h"

namespace portatune::jinja {

namespace {

// The number of steps that an operation on a value counts as, in proportion to the value's size.
size_t cost_of(const Value& value) {
  constexpr size_t kBytes = 256, kItems = 16;  // that one step pays for
  if (const std::string* text = value.text()) return 1 + text->size() / kBytes;
  if (const List* list = value.list()) return 1 + list->items.size() / kItems;
  if (const Dict* dict = value.dict()) return 1 + dict->items.size() / kItems;
  return 1;
}

}  // namespace

Value value_of(const ExpressionPtr& expression, Renderer& r) {
  Value value = r.nested([&] { return expression->evaluate(r); });
  r.step(r.line(), cost_of(value));
  return value;
}

Arguments CallArguments::evaluate(Renderer& r) const {
  Arguments values;
  for (const ExpressionPtr& argument : positional) values.positional.push_back(value_of(argument, r));
  for (const auto& [name, argument] : named) values.named.emplace_back(name, value_of(argument, r));
  return values;
}

Value Name::evaluate(Renderer& r) const {
  const Value* value = r.scope().find(name);
  return value != nullptr ? *value : Value::undefined("\"" + name + "\"");
}

Value ListDisplay::evaluate(Renderer& r) const {
  std::vector<Value> values;
  for (const ExpressionPtr& item : items) values.push_back(value_of(item, r));
  return make_list(std::move(values), kind);
}

Value DictDisplay::evaluate(Renderer& r) const {
  std::vector<std::pair<Value, Value>> values;
  for (const auto& [key, item] : items) {
    Value name = value_of(key, r);
    values.emplace_back(std::move(name), value_of(item, r));
  }
  return make_dict(std::move(values));
}

Value Attribute::evaluate(Renderer& r) const {
  const Value value = value_of(of, r);
  r.step(line);
  return attribute_of(value, name);
}

Value Item::evaluate(Renderer& r) const {
  const Value value = value_of(of, r), at = value_of(index, r);
  r.step(line);
  return item_of(value, at);
}

Value Slice::evaluate(Renderer& r) const {
  const Value value = value_of(of, r);
  const auto bound = [&](const ExpressionPtr& at) { return at == nullptr ? Value() : value_of(at, r); };
  const Value from = bound(begin), to = bound(end), by = bound(step);
  r.step(line);
  return slice_of(value, from, to, by);
}

Value Call::evaluate(Renderer& r) const {
  const Value function = value_of(callee, r);
  const Arguments values = arguments.evaluate(r);
  r.step(line);
  if (function.object() != nullptr) return function.object()->call(values, r);
  if (function.is_undefined()) throw Fault{function.undefined_message() + ", and cannot be called", {}};
  throw Fault{"a call of a " + std::string(function.type()), "something that can be called"};
}

Value FilterCall::evaluate(Renderer& r) const { return apply(value_of(of, r), r); }

Value FilterCall::apply(const Value& to, Renderer& r) const {
  const Arguments values = arguments.evaluate(r);
  r.step(line);
  return apply_filter(name, to, values, r);
}

Value TestCall::evaluate(Renderer& r) const {
  const Value value = value_of(of, r);
  const Arguments values = arguments.evaluate(r);
  r.step(line);
  return apply_test(name, value, values);
}

Value Unary::evaluate(Renderer& r) const {
  const Value value = value_of(of, r);
  if (operation == '!') return !value.is_true();
  r.step(line);
  return operation == '-' ? negative(value) : combine("+", int64_t{0}, value);
}

Value Binary::evaluate(Renderer& r) const {
  const Value a = value_of(left, r), b = value_of(right, r);
  r.step(line);
  return combine(operation, a, b);
}

Value Logical::evaluate(Renderer& r) const {
  Value value = value_of(left, r);
  return value.is_true() == is_and ? value_of(right, r) : value;
}

Value Comparison::evaluate(Renderer& r) const {
  Value before = value_of(first, r);
  for (const auto& [operation, operand] : others) {
    Value value = value_of(operand, r);
    r.step(line);
    if (!compare(operation, before, value)) return false;
    before = std::move(value);
  }
  return true;
}

Value Conditional::evaluate(Renderer& r) const {
  if (value_of(condition, r).is_true()) return value_of(yes, r);
  return no != nullptr ? value_of(no, r) : Value::undefined("an inline if without else");
}

}  // namespace portatune::jinja
