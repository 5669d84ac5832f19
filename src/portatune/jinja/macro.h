// The value that {% macro %} defines.
#pragma once

#include <memory>
#include <string_view>

#include "portatune/jinja/renderer.h"
#include "portatune/jinja/syntax.h"

namespace portatune::jinja {

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

}  // namespace portatune::jinja
