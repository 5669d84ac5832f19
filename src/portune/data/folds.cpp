#include <algorithm>
#include <map>
#include <numeric>

#include "portune/data.h"
#include "portune/data/random.h"
#include "portune/error.h"

namespace portune::data {
namespace {

void check(int folds, int64_t parts, const std::string& what) {
  if (folds >= 2 && folds <= parts) return;
  throw UsageError({.where = "folds",
                    .given = std::to_string(folds),
                    .expected = "2 to " + std::to_string(parts) + ", the number of " + what});
}

}  // namespace

std::vector<int> k_fold(int64_t examples, int folds, uint64_t seed) {
  check(folds, examples, "examples");
  std::vector<int> fold_of(static_cast<size_t>(examples));
  for (size_t i = 0; i < fold_of.size(); ++i) fold_of[i] = static_cast<int>(i % static_cast<size_t>(folds));
  Random random(seed);
  for (size_t i = fold_of.size(); i > 1; --i) {
    std::swap(fold_of[i - 1], fold_of[random.below(i)]);
  }
  return fold_of;
}

std::vector<int> group_k_fold(const std::vector<std::string>& groups, int folds) {
  std::map<std::string, int64_t> sizes;
  for (const std::string& group : groups) ++sizes[group];
  check(folds, std::ssize(sizes), "groups");
  std::vector<std::pair<std::string, int64_t>> by_size(sizes.rbegin(), sizes.rend());
  std::ranges::stable_sort(by_size, std::greater<>(), &std::pair<std::string, int64_t>::second);

  std::vector<int64_t> examples_in(static_cast<size_t>(folds));
  std::map<std::string, int> fold_of_group;
  for (const auto& [group, size] : by_size) {
    const auto smallest = std::ranges::min_element(examples_in);
    *smallest += size;
    fold_of_group[group] = static_cast<int>(smallest - examples_in.begin());
  }
  std::vector<int> fold_of;
  for (const std::string& group : groups) fold_of.push_back(fold_of_group[group]);
  return fold_of;
}

}  // namespace portune::data
