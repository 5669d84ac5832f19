// Checks of operands for shape rules, and their description in errors.
#pragma once

#include <string>
#include <string_view>

#include "portatune/error.h"
#include "portatune/graph.h"

namespace portatune {

/// The types of the inputs as text: "float32[2, 3] and float32[4]".
std::string describe(std::span<const Value> inputs);

/// The axis as 0 <= axis < rank; a negative axis counts from the end. Otherwise a ShapeError that names `op` and the
/// operand.
int64_t normalise_axis(std::string_view op, int64_t axis, const Value& x);
/// The same for several axes, sorted; ShapeError if an axis is given twice.
std::vector<int64_t> normalise_axes(std::string_view op, const std::vector<int64_t>& axes, const Value& x);

/// Throws a ShapeError unless `holds`, with the operation, its operands (followed by `detail`), and the broken rule.
void require(bool holds, std::string_view op, std::span<const Value> inputs, std::string_view rule,
             std::string_view detail = {}, std::string_view fix = {});

}  // namespace portatune
