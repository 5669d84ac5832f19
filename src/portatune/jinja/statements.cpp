// The execution of statements.
#include "portatune/jinja/loop.h"
#include "portatune/jinja/macro.h"
#include "portatune/jinja/print.h"
#include "portatune/jinja/renderer.h"
#include "portatune/jinja/syntax.h"

namespace portatune::jinja {
namespace {

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
