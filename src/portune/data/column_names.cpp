#include "portune/data/column_names.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace portune::data {
namespace {

// Levenshtein's distance: insertions, deletions and replacements that turn one text into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // distances from the first i characters of a to all beginnings of b
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

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
  const auto nearest = std::min_element(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(a, wanted) < edit_distance(b, wanted);
  });
  const bool alike = nearest != names.end() && edit_distance(*nearest, wanted) <= 1 + wanted.size() / 3;
  return alike ? "did you mean '" + std::string(*nearest) + "'?" : "";
}

}  // namespace

DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names) {
  return DataError({.where = std::move(where),
                    .given = names.empty() ? "no columns" : "columns " + list_of(names),
                    .expected = "a column '" + std::string(wanted) + "'",
                    .fix = proposal(wanted, names)});
}

}  // namespace portune::data
