#include "portatune/jinja/globals.h"

#include <array>

#include "portatune/jinja/arguments.h"
#include "portatune/jinja/print.h"

namespace portatune::jinja {
namespace {

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
