#include "portatune/jinja/loop.h"

#include "portatune/jinja/arguments.h"

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

}  // namespace portatune::jinja
