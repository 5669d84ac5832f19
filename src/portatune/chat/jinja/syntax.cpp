#include "portatune/chat/jinja/syntax.h"

#include "portatune/chat/jinja/filters.h"
#include "portatune/chat/jinja/objects.h"
#include "portatune/chat/jinja/operators.h"
#include "portatune/chat/jinja/print.h"
#include "portatune/chat/jinja/renderer.h"

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

void assign(const Target& target, const Value& value, Renderer& r) {
  if (!target.attribute.empty()) {
    const Value* space = r.scope().find(target.name);
    const auto* object = space == nullptr ? nullptr : dynamic_cast<const Namespace*>(space->object());
    if (object == nullptr) throw Fault{"a value for an attribute of \"" + target.name + "\"", "a namespace"};
    object->set(target.attribute, value);
  } else if (target.parts.empty()) {
    r.scope().set(target.name, value);
  } else {
    const std::vector<Value> items = items_of(value);
    if (items.size() != target.parts.size()) {
      throw Fault{std::to_string(items.size()) + " values for " + std::to_string(target.parts.size()) + " names", {}};
    }
    for (size_t i = 0; i < items.size(); ++i) assign(target.parts[i], items[i], r);
  }
}

Value filtered(Value value, const std::vector<std::unique_ptr<const FilterCall>>& filters, Renderer& r) {
  for (const auto& filter : filters) value = filter->apply(value, r);
  return value;
}

// The output of a body, whose variables stay in a new scope.
std::string written_by(const Body& body, Renderer& r, Flow& flow) {
  return r.captured([&] { r.in_scope(r.shared_scope(), [&] { flow = run_all(body, r); }); });
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

Flow run_all(const Body& body, Renderer& r) {
  return r.nested([&] {
    for (const auto& statement : body) {
      r.step(statement->line);
      if (const Flow flow = statement->run(r); flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  });
}

Flow Data::run(Renderer& r) const {
  r.write(text);
  return Flow::kNext;
}

Flow Print::run(Renderer& r) const {
  const Value printed = value_of(value, r);
  r.step(line);
  r.write(to_text(printed));
  return Flow::kNext;
}

Flow If::run(Renderer& r) const { return run_all(value_of(condition, r).is_true() ? yes : no, r); }

std::vector<Value> For::items(Renderer& r) const {
  std::vector<Value> all = items_of(value_of(over, r));
  if (filter == nullptr) return all;
  std::vector<Value> kept;
  for (Value& item : all) {
    r.in_scope(r.shared_scope(), [&] {
      assign(target, item, r);
      if (value_of(filter, r).is_true()) kept.push_back(std::move(item));
    });
  }
  return kept;
}

Flow For::run(Renderer& r) const {
  const auto loop = std::make_shared<Loop>(items(r));
  if (loop->size() == 0) return run_all(otherwise, r);
  Flow flow = Flow::kNext;
  for (; flow != Flow::kBreak && !loop->is_at_end(); loop->advance()) {
    r.in_scope(r.shared_scope(), [&] {
      r.scope().set("loop", std::shared_ptr<const Object>(loop));
      assign(target, loop->item(), r);
      flow = run_all(body, r);
    });
  }
  return Flow::kNext;
}

Flow Set::run(Renderer& r) const {
  const Value assigned = value_of(value, r);
  r.step(line);
  assign(target, assigned, r);
  return Flow::kNext;
}

Flow SetBlock::run(Renderer& r) const {
  Flow flow = Flow::kNext;
  std::string text = written_by(body, r, flow);
  if (flow == Flow::kNext) assign(target, filtered(std::move(text), filters, r), r);
  return flow;
}

Flow FilterBlock::run(Renderer& r) const {
  Flow flow = Flow::kNext;
  std::string text = written_by(body, r, flow);
  if (flow == Flow::kNext) r.write(to_text(filtered(std::move(text), filters, r)));
  return flow;
}

Flow With::run(Renderer& r) const {
  std::vector<Value> values;
  for (const auto& [target, value] : variables) values.push_back(value_of(value, r));
  Flow flow = Flow::kNext;
  r.in_scope(r.shared_scope(), [&] {
    for (size_t i = 0; i < values.size(); ++i) assign(variables[i].first, values[i], r);
    flow = run_all(body, r);
  });
  return flow;
}

Flow MacroDefinition::run(Renderer& r) const {
  r.scope().set(name, std::shared_ptr<const Object>(std::make_shared<const Macro>(*this, r.shared_scope())));
  r.keep(r.shared_scope());
  return Flow::kNext;
}

// The span begins at the current size of the output, as in the reference. Within a macro or a captured block, this is
// the position where its text will be inserted.
Flow Generation::run(Renderer& r) const {
  Flow flow = Flow::kNext;
  const std::string text = written_by(body, r, flow);
  r.add_span(text.size());
  r.write(text);
  return flow;
}

}  // namespace portatune::jinja
