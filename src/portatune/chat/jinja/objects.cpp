#include "portatune/chat/jinja/objects.h"

#include <algorithm>
#include <array>

#include "portatune/chat/jinja/print.h"
#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {
namespace {

// The function loop.cycle(a, b), which returns its arguments in turn.
class Cycle final : public Object {
 public:
  explicit Cycle(size_t at) : at_(at) {}
  std::string_view type() const override { return "method"; }
  bool is_callable() const override { return true; }
  Value call(const Arguments& arguments, Renderer&) const override {
    if (arguments.positional.empty()) throw Fault{"loop.cycle() without arguments", {}};
    return arguments.positional[at_ % arguments.positional.size()];
  }

 private:
  const size_t at_;
};

void require_parameters(const MacroDefinition& macro, const Arguments& given) {
  if (given.positional.size() > macro.parameters.size()) {
    throw Fault{std::to_string(given.positional.size()) + " arguments of the macro " + macro.name,
                "at most " + std::to_string(macro.parameters.size())};
  }
  for (const auto& argument : given.named) {
    const std::string& name = argument.first;
    const auto is_it = [&](const auto& parameter) { return parameter.first == name; };
    const auto found = std::ranges::find_if(macro.parameters, is_it);
    if (found == macro.parameters.end()) throw Fault{"an argument \"" + name + "\" of the macro " + macro.name, {}};
    if (found - macro.parameters.begin() < std::ssize(given.positional)) {
      throw Fault{"two arguments \"" + name + "\" of the macro " + macro.name, "one"};
    }
  }
}

class Function final : public Object {
 public:
  using Body = Value (*)(const Arguments& given, Renderer& r);
  explicit Function(Body body) : body_(body) {}
  std::string_view type() const override { return "function"; }
  bool is_callable() const override { return true; }
  Value call(const Arguments& arguments, Renderer& r) const override { return body_(arguments, r); }

 private:
  const Body body_;
};

Value range(const Arguments& given, Renderer& r) {
  const Bound a("range", {"start", "stop", "step"}, given);
  const int64_t begin = a.has(1) ? a.integer_or(0, 0) : 0, end = a.integer_or(a.has(1) ? 1 : 0, 0);
  const int64_t step = a.integer_or(2, 1);
  if (!a.has(0) || step == 0) throw Fault{"range() without an end, or with a step of 0", {}};
  constexpr size_t kMaxNumbers = 100'000;
  std::vector<Value> numbers;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    if (numbers.size() == kMaxNumbers) throw Fault{"range() of more than 100,000 numbers", {}};
    numbers.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  r.step(r.line(), numbers.size());
  return make_list(std::move(numbers));
}

// The pairs of positional dicts, then the named arguments.
std::vector<std::pair<Value, Value>> pairs_of(const Arguments& given) {
  std::vector<std::pair<Value, Value>> pairs;
  for (const Value& value : given.positional) {
    if (value.dict() == nullptr) throw Unsupported{"dict() or namespace() of a " + std::string(value.type())};
    pairs.insert(pairs.end(), value.dict()->items.begin(), value.dict()->items.end());
  }
  pairs.insert(pairs.end(), given.named.begin(), given.named.end());
  return pairs;
}

Value make_namespace(const Arguments& given, Renderer& r) {
  constexpr size_t kCost = 50;  // each namespace stays until the end
  r.step(r.line(), kCost);
  const std::shared_ptr<const Namespace> space = r.new_namespace();
  for (const auto& [name, value] : pairs_of(given)) space->set(to_text(name), value);
  return std::shared_ptr<const Object>(space);
}

Value raise_exception(const Arguments& given, Renderer&) {
  throw Fault{to_text(Bound("raise_exception", {"message"}, given).at(0)), "a conversation that the template takes"};
}

Value strftime_now(const Arguments& given, Renderer& r) {
  const std::string format(Bound("strftime_now", {"format"}, given).text(0));
  std::array<char, 256> text{};
  const size_t size = std::strftime(text.data(), text.size(), format.c_str(), &r.now());
  if (size == 0 && !format.empty()) throw Fault{"a date of more than 255 bytes", {}};
  return std::string(text.data(), size);
}

}  // namespace

std::optional<Value> Loop::attribute(std::string_view name) const {
  const auto index = static_cast<int64_t>(at_), size = static_cast<int64_t>(items_.size());
  if (name == "index0") return index;
  if (name == "index") return index + 1;
  if (name == "revindex0") return size - index - 1;
  if (name == "revindex") return size - index;
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == size;
  if (name == "length") return size;
  if (name == "previtem") return index == 0 ? Value::undefined("loop.previtem of the first") : items_[at_ - 1];
  if (name == "nextitem") return index + 1 == size ? Value::undefined("loop.nextitem of the last") : items_[at_ + 1];
  if (name == "cycle") return Value(std::shared_ptr<const Object>(std::make_shared<const Cycle>(at_)));
  throw Unsupported{"loop." + std::string(name)};
}

Value Macro::call(const Arguments& arguments, Renderer& r) const {
  require_parameters(definition_, arguments);
  return r.captured([&] {
    r.in_scope(scope_, [&] {
      for (size_t i = 0; i < definition_.parameters.size(); ++i) {
        const auto& [name, fallback] = definition_.parameters[i];
        const Value* given = i < arguments.positional.size() ? &arguments.positional[i] : arguments.find(name);
        if (given != nullptr) {
          r.scope().set(name, *given);
        } else {
          r.scope().set(name, fallback != nullptr ? value_of(fallback, r) : Value::undefined("\"" + name + "\""));
        }
      }
      run_all(definition_.body, r);
    });
  });
}

void add_globals(Scope& scope) {
  const auto add = [&](const char* name, Function::Body body) {
    scope.set(name, std::shared_ptr<const Object>(std::make_shared<const Function>(body)));
  };
  add("range", range);
  add("dict", [](const Arguments& given, Renderer&) { return make_dict(pairs_of(given)); });
  add("namespace", make_namespace);
  add("raise_exception", raise_exception);
  add("strftime_now", strftime_now);
}

}  // namespace portatune::jinja
