#include "portatune/base/nearest.h"

#include <algorithm>

namespace portatune {
namespace {

// Optimal string alignment distance.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& names) {
  // The table of edits() is quadratic; no name is meant to be that long.
  if (typed.size() > 100) return {};
  std::string best;
  size_t fewest = typed.size() / 3 + 2;
  for (const std::string& name : names) {
    if (name.size() >= typed.size() + fewest) continue;  // that many inserts at least
    const size_t distance = edits(typed, name);
    if (distance >= fewest) continue;
    fewest = distance;
    best = name;
  }
  return best;
}

}  // namespace portatune
