// Objects that a template uses: `loop`, macros, and the global functions.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "portatune/chat/jinja/renderer.h"
#include "portatune/chat/jinja/syntax.h"
#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

/// The variable `loop` in the body of a `for`.
class Loop final : public Object {
 public:
  explicit Loop(std::vector<Value> items) : items_(std::move(items)) {}

  size_t size() const { return items_.size(); }
  bool is_at_end() const { return at_ == items_.size(); }
  const Value& item() const { return items_[at_]; }
  void advance() { ++at_; }

  std::string_view type() const override { return "loop"; }
  std::optional<Value> attribute(std::string_view name) const override;

 private:
  const std::vector<Value> items_;
  size_t at_ = 0;
};

/// The value that {% macro %} defines.
class Macro final : public Object {
 public:
  /// Creates a macro.
  /// definition  must outlive this object; the template outlives its run
  /// scope       the scope of the definition; a call sees the current values of its names
  Macro(const MacroDefinition& definition, std::shared_ptr<Scope> scope)
      : definition_(definition), scope_(std::move(scope)) {}

  std::string_view type() const override { return "macro"; }
  bool is_callable() const override { return true; }
  Value call(const Arguments& arguments, Renderer& r) const override;

 private:
  const MacroDefinition& definition_;
  const std::shared_ptr<Scope> scope_;
};

/// The global functions of chat templates: range, dict, namespace, raise_exception, strftime_now.
void add_globals(Scope& scope);

}  // namespace portatune::jinja
