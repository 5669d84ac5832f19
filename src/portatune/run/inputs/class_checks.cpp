#include "portatune/run/inputs/class_checks.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/message.h"
#include "portatune/base/number.h"
#include "portatune/error.h"

namespace portatune::run {
namespace {

std::string place_of(const ClassSource& source) {
  return "column \"" + source.column + "\" of " + list_of(source.files, 3);
}

bool is_number(const std::string& text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number);
}

bool has_fraction(const std::string& text) {
  const double number = *number_in<double>(text);
  return number != std::trunc(number);
}

}  // namespace

void require_several_classes(const std::vector<std::string>& classes, const ClassSource& source) {
  if (classes.size() != 1) return;
  throw DataError({.where = place_of(source),
                   .given = "one class only, \"" + classes.front() + "\", in all rows",
                   .expected = "rows of at least two classes",
                   .fix = "add rows of another class, or name the column of the labels: --label-column NAME"});
}

void require_no_fractions(const std::vector<std::string>& classes, const ClassSource& source) {
  if (!std::ranges::all_of(classes, is_number) || std::ranges::none_of(classes, has_fraction)) return;
  throw DataError({.where = place_of(source),
                   .given = list_of(classes, 6) + ": numbers with fractions",
                   .expected = "the names of classes, or the choice to learn these numbers",
                   .fix = "--head regression to predict the number, or --head softmax if they are classes"});
}

}  // namespace portatune::run
