#include "portatune/jinja/arguments.h"

#include <algorithm>

namespace portatune::jinja {

const Value* Arguments::find(std::string_view name) const {
  const auto found = std::ranges::find_if(named, [&](const auto& argument) { return argument.first == name; });
  return found == named.end() ? nullptr : &found->second;
}

Bound::Bound(std::string_view function, std::initializer_list<std::string_view> parameters, const Arguments& arguments)
    : function_(function), parameters_(parameters), given_(parameters.size(), nullptr) {
  if (arguments.positional.size() > parameters_.size()) {
    throw Fault{std::to_string(arguments.positional.size()) + " arguments of " + function_,
                "at most " + std::to_string(parameters_.size())};
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) given_[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::ranges::find(parameters_, name);
    if (found == parameters_.end()) throw Fault{"an argument \"" + name + "\" of " + function_, {}};
    const Value*& slot = given_[static_cast<size_t>(found - parameters_.begin())];
    if (slot != nullptr) throw Fault{"two arguments \"" + name + "\" of " + function_, "one"};
    slot = &value;
  }
}

const Value& Bound::at(size_t i) const {
  if (!has(i)) throw Fault{function_ + " without an argument \"" + std::string(parameters_[i]) + "\"", {}};
  return *given_[i];
}

void Bound::refuse(size_t i, std::string_view wanted) const {
  throw Fault{std::string(at(i).type()) + " as argument \"" + std::string(parameters_[i]) + "\" of " + function_,
              std::string(wanted)};
}

std::string_view Bound::text(size_t i) const {
  if (at(i).text() == nullptr) refuse(i, "str");
  return *at(i).text();
}

int64_t Bound::integer_or(size_t i, int64_t fallback) const {
  if (!has(i)) return fallback;
  const std::optional<int64_t> value = at(i).as_integer();
  if (!value) refuse(i, "int");
  return *value;
}

}  // namespace portatune::jinja
