// Arguments of functions, methods, filters and tests.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  const Value* find(std::string_view name) const;
};

/// Arguments in the order of a function's parameters.
class Bound {
 public:
  /// Assigns arguments to parameters.
  /// errors  Fault for too many arguments, an unknown name, or a name that occurs twice
  Bound(std::string_view function, std::initializer_list<std::string_view> parameters, const Arguments& arguments);

  bool has(size_t i) const { return given_[i] != nullptr; }
  /// The argument of parameter i.
  /// errors  Fault if it is missing
  const Value& at(size_t i) const;
  Value at_or(size_t i, Value fallback) const { return has(i) ? *given_[i] : fallback; }
  /// The argument of parameter i as a text.
  /// errors  Fault for another type
  std::string_view text(size_t i) const;
  std::string_view text_or(size_t i, std::string_view fallback) const { return has(i) ? text(i) : fallback; }
  int64_t integer_or(size_t i, int64_t fallback) const;
  bool flag_or(size_t i, bool fallback) const { return has(i) ? given_[i]->is_true() : fallback; }

 private:
  [[noreturn]] void refuse(size_t i, std::string_view wanted) const;

  std::string function_;
  std::vector<std::string_view> parameters_;
  std::vector<const Value*> given_;
};

}  // namespace portatune::jinja
