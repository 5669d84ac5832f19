#include "portatune/graph/checks.h"

#include <algorithm>

namespace portatune {

std::string describe(std::span<const Value> inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0) text += i + 1 == inputs.size() ? " and " : ", ";
    text += inputs[i] ? to_string(inputs[i].type()) : "nothing";
  }
  return text;
}

int64_t normalise_axis(std::string_view op, int64_t axis, const Value& x) {
  const int64_t rank = x.rank();
  require(-rank <= axis && axis < rank, op, {&x, 1}, "an axis of the operand, from the front or negative from the end",
          " and axis " + std::to_string(axis));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> normalise_axes(std::string_view op, const std::vector<int64_t>& axes, const Value& x) {
  std::vector<int64_t> normalised;
  for (const int64_t axis : axes) normalised.push_back(normalise_axis(op, axis, x));
  std::ranges::sort(normalised);
  require(std::ranges::adjacent_find(normalised) == normalised.end(), op, {&x, 1}, "every axis at most once");
  return normalised;
}

void require(bool holds, std::string_view op, std::span<const Value> inputs, std::string_view rule,
             std::string_view detail, std::string_view fix) {
  if (holds) return;
  throw ShapeError({.where = std::string(op),
                    .given = describe(inputs) + std::string(detail),
                    .expected = std::string(rule),
                    .fix = std::string(fix)});
}

}  // namespace portatune
