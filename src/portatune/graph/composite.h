// Ops that are made of other ops.
#pragma once

#include <optional>

#include "portatune/graph/lowering.h"

namespace portatune {

/// An op with a decomposition, which says what it means, and on some platforms a kernel or a library, which must agree
/// with it wherever the op's docstring says what comes out.
struct Composite : Op {
  /// The results, made of other ops.
  virtual Values decompose(std::span<const Value> inputs) const = 0;

  /// The kernel that computes the node, if there is one anywhere.
  virtual KernelCall kernel(const Node& node) const = 0;

  /// The results, made of ops that call a library which the target offers; nothing, as by default, if there is none for
  /// the node.
  virtual std::optional<Values> by_library(const Node& node, const Lowering& lowering) const;

  /// By default that of the decomposition.
  Types infer(std::span<const Value> inputs) const override;
  /// By default that of the decomposition.
  Values gradient(const Node& node, std::span<const Value> dresults) const override;

  void lower(const Node& node, Lowering& out) const final;
};

}  // namespace portatune
