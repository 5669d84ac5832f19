#include <algorithm>
#include <limits>

#include "portatune/data.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// Divides the sorted lengths into groups, each padded to its longest, by dynamic programming: the best k groups of the
// first n lengths are the best k - 1 groups of fewer lengths, and one more group.
class Cuts {
 public:
  explicit Cuts(const LengthCounts& examples) {
    for (const auto& [length, count] : examples) {
      lengths_.push_back(length);
      counted_.push_back(counted_.back() + count);
    }
    cost_.assign(lengths_.size() + 1, std::numeric_limits<int64_t>::max());
    cost_[0] = 0;
  }

  // Allows one more group.
  void add_group() {
    std::vector<int64_t> cost = cost_;
    std::vector<size_t> begin(cost.size(), 0);
    for (size_t end = 1; end < cost.size(); ++end) {
      begin[end] = end;  // empty group: fewer groups suffice
      for (size_t from = 0; from < end; ++from) {
        if (cost_[from] == std::numeric_limits<int64_t>::max()) continue;
        const int64_t with_group = cost_[from] + lengths_[end - 1] * (counted_[end] - counted_[from]);
        if (with_group >= cost[end]) continue;
        cost[end] = with_group;
        begin[end] = from;
      }
    }
    cost_ = std::move(cost);
    begins_.push_back(std::move(begin));
  }

  std::vector<int64_t> lengths() const {
    std::vector<int64_t> longest;
    size_t end = lengths_.size();
    for (size_t group = begins_.size(); group-- > 0 && end > 0;) {
      if (begins_[group][end] == end) continue;
      longest.push_back(lengths_[end - 1]);
      end = begins_[group][end];
    }
    std::ranges::reverse(longest);
    return longest;
  }

 private:
  std::vector<int64_t> lengths_, counted_ = {0};  // existing lengths; number of examples shorter than each
  std::vector<int64_t> cost_;                     // cost of the first n lengths with the present number of groups
  std::vector<std::vector<size_t>> begins_;       // for each number of groups and n: beginning of the last group
};

}  // namespace

int64_t padded_positions(const LengthCounts& examples, std::span<const int64_t> lengths) {
  int64_t positions = 0;
  for (const auto& [length, count] : examples) {
    const auto holds = std::ranges::lower_bound(lengths, length);
    if (holds == lengths.end()) {
      throw UsageError({.where = "padded_positions",
                        .given = "an example of length " + std::to_string(length),
                        .expected = "a length that holds it"});
    }
    positions += *holds * count;
  }
  return positions;
}

std::vector<int64_t> choose_lengths(const LengthCounts& examples, int64_t count) {
  require_at_least("choose_lengths", "count", count, 1);
  require_at_least("choose_lengths", "the number of lengths", std::ssize(examples), 1);
  Cuts cuts(examples);
  const int64_t groups = std::min(count, std::ssize(examples));
  for (int64_t i = 0; i < groups; ++i) cuts.add_group();
  return cuts.lengths();
}

}  // namespace portatune::data
