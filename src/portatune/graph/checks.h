// What shape rules share: checks of operands, and their description in errors.
#pragma once

#include <string>
#include <string_view>

#include "portatune/error.h"
#include "portatune/graph.h"

namespace portatune {

/// "float32[2, 3] and float32[4]".
std::string describe(std::span<const Value> inputs);

/// 0 <= axis < rank, counting a negative axis from the end. ShapeError naming `op` and the operand otherwise.
int64_t normalise_axis(std::string_view op, int64_t axis, const Value& x);
/// The same for several, sorted; ShapeError if one is named twice.
std::vector<int64_t> normalise_axes(std::string_view op, const std::vector<int64_t>& axes, const Value& x);

/// ShapeError unless `holds`: the operation, its operands (and `detail` after them), and the rule that they break.
void require(bool holds, std::string_view op, std::span<const Value> inputs, std::string_view rule,
             std::string_view detail = {}, std::string_view fix = {});

}  // namespace portatune
