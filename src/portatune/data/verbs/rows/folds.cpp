#include <algorithm>
#include <map>

#include "portatune/data.h"
#include "portatune/data/order/random.h"
#include "portatune/data/verbs/members.h"
#include "portatune/error.h"

namespace portatune::data {
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
  shuffle(fold_of, random);
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

std::vector<int> stratified_k_fold(const std::vector<std::string>& labels, int folds, uint64_t seed) {
  const std::vector<std::vector<size_t>> classes = examples_by_class(labels);
  size_t largest = 0;
  for (const std::vector<size_t>& members : classes) largest = std::max(largest, members.size());
  check(folds, static_cast<int64_t>(largest), "examples of the most frequent class");
  // Assigns examples to folds in turn, class after class: this gives the number of each class in each fold.
  std::vector<int> fold_of(labels.size());
  Random random(seed);
  size_t dealt = 0;
  for (const std::vector<size_t>& members : classes) {
    std::vector<int> parts;
    for (size_t i = 0; i < members.size(); ++i) parts.push_back(static_cast<int>(dealt++ % static_cast<size_t>(folds)));
    shuffle(parts, random);
    for (size_t i = 0; i < members.size(); ++i) fold_of[members[i]] = parts[i];
  }
  return fold_of;
}

}  // namespace portatune::data
