#include <algorithm>
#include <cmath>
#include <numeric>

#include "portatune/data.h"
#include "portatune/data/order/random.h"
#include "portatune/data/verbs/members.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// Number of held out items: the share of `items`, rounded up, as in sklearn.
int64_t count_to_hold(int64_t items, double share, const std::string& what) {
  if (!(share > 0 && share < 1)) {
    throw UsageError({.where = "share to hold out", .given = std::to_string(share), .expected = "between 0 and 1"});
  }
  const auto count = static_cast<int64_t>(std::ceil(share * static_cast<double>(items)));
  if (count > 0 && count < items) return count;
  throw UsageError({.where = "share to hold out",
                    .given = std::to_string(share) + " of " + std::to_string(items) + " " + what,
                    .expected = "a share with at least one on each side"});
}

// Holds out `count` random members.
void hold_some(std::vector<size_t> members, int64_t count, Random& random, std::vector<bool>& held) {
  shuffle(members, random);
  for (int64_t i = 0; i < count; ++i) held[members[static_cast<size_t>(i)]] = true;
}

// Divides `total` in integer parts with the proportions of `sizes`: rounded down, then one more for the parts with the
// largest remainders.
std::vector<int64_t> in_proportion(const std::vector<int64_t>& sizes, int64_t total, Random& random) {
  int64_t sum = 0;
  for (const int64_t size : sizes) sum += size;
  std::vector<int64_t> counts;
  std::vector<std::pair<int64_t, size_t>> cut;  // remainder of each part, in units of 1 / sum
  int64_t left = total;
  for (size_t i = 0; i < sizes.size(); ++i) {
    counts.push_back(sizes[i] * total / sum);
    cut.emplace_back(sizes[i] * total % sum, i);
    left -= counts.back();
  }
  shuffle(cut, random);  // breaks ties
  std::ranges::stable_sort(cut, std::greater<>(), &std::pair<int64_t, size_t>::first);
  for (int64_t i = 0; i < left; ++i) ++counts[cut[static_cast<size_t>(i)].second];
  return counts;
}

void require_examples_of_each(const std::vector<std::string>& labels, const std::vector<std::vector<size_t>>& classes,
                              int64_t held) {
  for (const std::vector<size_t>& members : classes) {
    if (members.size() >= 2) continue;
    throw UsageError({.where = "holding out by class",
                      .given = "one example of class '" + labels[members.front()] + "'",
                      .expected = "at least two examples of each class, one for each side"});
  }
  const int64_t smaller = std::min(held, std::ssize(labels) - held);
  if (smaller >= std::ssize(classes)) return;
  throw UsageError({.where = "holding out by class",
                    .given = std::to_string(smaller) + " examples on one side",
                    .expected = "at least " + std::to_string(classes.size()) + ", the number of classes"});
}

}  // namespace

std::vector<bool> hold_out(int64_t examples, double share, uint64_t seed) {
  const int64_t count = count_to_hold(examples, share, "examples");
  std::vector<size_t> all(static_cast<size_t>(examples));
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<bool> held(all.size());
  Random random(seed);
  hold_some(std::move(all), count, random, held);
  return held;
}

std::vector<bool> group_hold_out(const std::vector<std::string>& groups, double share, uint64_t seed) {
  std::vector<std::vector<size_t>> members = examples_by_class(groups);
  const int64_t count = count_to_hold(std::ssize(members), share, "groups");
  Random random(seed);
  shuffle(members, random);
  std::vector<bool> held(groups.size());
  for (int64_t i = 0; i < count; ++i) {
    for (const size_t example : members[static_cast<size_t>(i)]) held[example] = true;
  }
  return held;
}

std::vector<bool> stratified_hold_out(const std::vector<std::string>& labels, double share, uint64_t seed) {
  const int64_t count = count_to_hold(std::ssize(labels), share, "examples");
  const std::vector<std::vector<size_t>> classes = examples_by_class(labels);
  require_examples_of_each(labels, classes, count);
  Random random(seed);
  std::vector<int64_t> sizes;
  for (const std::vector<size_t>& members : classes) sizes.push_back(std::ssize(members));
  const std::vector<int64_t> kept = in_proportion(sizes, std::ssize(labels) - count, random);
  std::vector<bool> held(labels.size());
  for (size_t i = 0; i < classes.size(); ++i) hold_some(classes[i], sizes[i] - kept[i], random, held);
  return held;
}

}  // namespace portatune::data
