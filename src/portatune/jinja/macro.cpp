#include "portatune/jinja/macro.h"

#include <algorithm>

#include "portatune/jinja/arguments.h"

namespace portatune::jinja {
namespace {

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

}  // namespace

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

}  // namespace portatune::jinja
