// Text of StableHLO modules: types, literals and the generic form of operations. It is independent of graphs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/tensor.h"

namespace portatune::stablehlo {

/// "tensor<8x128xf32>".
std::string type_text(const TensorType& type);
/// "f32", "bf16", "i32", "ui32", "i1", ...
std::string_view element_type_text(DType dtype);
/// A number as a literal of that element type: "1.000000000e+00", "42", "0x7F800000" for infinities and NaN.
std::string scalar_text(DType dtype, double value);
/// "array<i64: 1, 2>".
std::string array_text(const std::vector<int64_t>& values);
/// "[1, 2]".
std::string list_text(const std::vector<int64_t>& values);
/// "dense<...> : tensor<...>": the elements as hexadecimal bytes, or as words if they are bools.
std::string dense_text(const TensorView& values);
/// "dense<v> : tensor<...>": one number everywhere.
std::string splat_text(const TensorType& type, double value);

/// One operation in MLIR's generic form.
struct Operation {
  std::string_view name;  ///< "stablehlo.concatenate"
  std::vector<std::string> operands = {};
  std::vector<TensorType> operand_types = {};
  std::vector<TensorType> result_types = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  ///< properties: name and MLIR text
  std::string region = {};  ///< with its braces; several have commas between them; or empty
};

/// Writes the body of @main, and of regions in it, line by line.
class Writer {
 public:
  /// Appends the operation; returns the names of its results ("%3", or "%3#0", "%3#1").
  std::vector<std::string> write(const Operation& operation);

  /// Begins the body of a region, within which the next operations are written, with arguments of these types; returns
  /// their names.
  std::vector<std::string> begin_region(const std::vector<TensorType>& argument_types);
  /// Ends the region begun last; returns its text, for Operation::region.
  std::string end_region(const std::vector<std::string>& results, const std::vector<TensorType>& result_types);

  struct Argument {
    std::string name;
    TensorType type;
    int64_t aliased_result = -1;  ///< the result that may take over its memory; -1: none
  };
  /// The whole module: @main with these arguments, the operations written so far, and these results.
  /// replicas  devices that run it side by side
  std::string module(const std::vector<Argument>& arguments, const std::vector<std::string>& results,
                     const std::vector<TensorType>& result_types, int64_t replicas = 1) const;

 private:
  std::string body_;
  std::vector<std::string> enclosing_;  // bodies around the regions that have not ended
  int64_t next_ = 0;
};

/// A region of two scalars that `operation` (such as "stablehlo.add") joins: the body of a reduce or a scatter.
std::string binary_region(std::string_view operation, DType dtype);

}  // namespace portatune::stablehlo
