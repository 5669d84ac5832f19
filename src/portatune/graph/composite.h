// Ops that are composed of other ops.
#pragma once

#include <optional>

#include "portatune/graph/lowering.h"

namespace portatune {

/// An op with a decomposition, which defines its meaning, and on some platforms a kernel or another composition. These
/// must agree with the decomposition in all results that the op's docstring defines.
struct Composite : Op {
  /// The results, composed of other ops.
  virtual Values decompose(std::span<const Value> inputs) const = 0;

  /// The kernel that computes the node, on platforms that have it; kNoKernel if none does.
  virtual KernelCall kernel(const Node& node) const = 0;

  /// The results, composed as the target needs it, such as by calls of a library; nothing, the default, if the
  /// decomposition suits the target.
  virtual std::optional<Values> for_target(const Node& node, const Lowering& lowering) const;

  /// By default the types of the decomposition.
  Types infer(std::span<const Value> inputs) const override;
  /// By default the gradient of the decomposition.
  Values gradient(const Node& node, std::span<const Value> dresults) const override;

  void lower(const Node& node, Lowering& out) const final;
};

}  // namespace portatune
