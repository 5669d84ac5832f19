#include "portatune/base/nearest.h"

#include <algorithm>

#include "portatune/base/ascii.h"

namespace portatune {
namespace {

// The optimal string alignment distance.
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

// The form of a name that nearest() compares: "--Batch_size" and "--batch-size" are equal.
std::string letters_of(std::string_view name) {
  std::string letters = lower_case(name);
  std::erase_if(letters, [](char c) { return c == '-' || c == '_'; });
  return letters;
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& names) {
  // The table of edits() has quadratic size; no name is that long.
  if (typed.size() > 100) return {};
  const std::string letters = letters_of(typed);
  const size_t max_edits = std::max<size_t>(1, letters.size() / 4);
  std::string best;
  size_t fewest = max_edits + 1;
  for (const std::string& name : names) {
    const std::string other = letters_of(name);
    if (other.size() >= letters.size() + fewest) continue;  // the distance is at least the difference of the lengths
    const size_t distance = edits(letters, other);
    if (distance >= fewest) continue;
    fewest = distance;
    best = name;
  }
  return best;
}

}  // namespace portatune
