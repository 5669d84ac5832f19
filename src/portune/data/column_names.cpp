#include "portune/data/column_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "portune/base/nearest.h"

namespace portune::data {
namespace {

std::string list_of(std::span<const std::string_view> names) {
  constexpr size_t kMost = 20;
  std::string text;
  for (const std::string_view name : names.first(std::min(names.size(), kMost))) {
    text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

std::string proposal(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string meant = nearest(wanted, std::vector<std::string>(names.begin(), names.end()));
  return meant.empty() ? "" : "did you mean '" + meant + "'?";
}

}  // namespace

DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names) {
  return DataError({.where = std::move(where),
                    .given = names.empty() ? "no columns" : "columns " + list_of(names),
                    .expected = "a column '" + std::string(wanted) + "'",
                    .fix = proposal(wanted, names)});
}

}  // namespace portune::data
