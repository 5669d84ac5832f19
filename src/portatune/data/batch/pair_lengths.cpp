#include "portatune/data/batch/pair_lengths.h"

#include <algorithm>
#include <limits>

#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// A target position costs about twice a source position: a decoder layer has two attentions, and the logits come on
// top.
constexpr int64_t kTargetCost = 2;

// Lengths to choose from, of either text. More would hardly reduce the padding.
constexpr int64_t kChoices = 32;

int64_t cost_of(const LengthPair& pair) { return pair.source + kTargetCost * pair.target; }

std::vector<int64_t> choices_of(const PairCounts& examples, int64_t LengthPair::*text) {
  LengthCounts lengths;
  for (const auto& [pair, count] : examples) lengths[pair.*text] += count;
  return choose_lengths(lengths, kChoices);
}

// Divides the examples into groups, each padded to a pair that holds all of it and of the groups before it, by dynamic
// programming over the pairs of a grid: the best k groups that end with a pair are the best k - 1 groups that end with
// a smaller pair, and one more group.
class PairCuts {
 public:
  explicit PairCuts(const PairCounts& examples)
      : sources_(choices_of(examples, &LengthPair::source)), targets_(choices_of(examples, &LengthPair::target)) {
    for (const int64_t source : sources_) {
      for (const int64_t target : targets_) pairs_.push_back({source, target});
    }
    for (const LengthPair& pair : pairs_) {
      int64_t& held = held_.emplace_back(0);
      for (const auto& [example, count] : examples) held += holds(pair, example) ? count : 0;
      cost_.push_back(held * cost_of(pair));
    }
    before_.emplace_back(pairs_.size(), kNone);
  }

  // Allows one more group.
  void add_group() {
    std::vector<int64_t> cost = cost_;
    std::vector<size_t> before(pairs_.size(), kSame);
    for (size_t end = 0; end < pairs_.size(); ++end) {
      for (size_t from = 0; from < end; ++from) {
        if (!holds(pairs_[end], pairs_[from])) continue;
        const int64_t with_group = cost_[from] + cost_of(pairs_[end]) * (held_[end] - held_[from]);
        if (with_group >= cost[end]) continue;
        cost[end] = with_group;
        before[end] = from;
      }
    }
    cost_ = std::move(cost);
    before_.push_back(std::move(before));
  }

  std::vector<LengthPair> pairs() const {
    std::vector<LengthPair> chosen;
    size_t end = pairs_.size() - 1;
    for (size_t group = before_.size(); group-- > 0 && end != kNone;) {
      if (before_[group][end] == kSame) continue;
      chosen.push_back(pairs_[end]);
      end = before_[group][end];
    }
    std::ranges::reverse(chosen);
    return chosen;
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();  // no group comes before
  static constexpr size_t kSame = kNone - 1;                           // one group less suffices

  std::vector<int64_t> sources_, targets_;
  std::vector<LengthPair> pairs_;            // the grid
  std::vector<int64_t> held_;                // number of examples that each pair holds
  std::vector<int64_t> cost_;                // of these examples with the present number of groups
  std::vector<std::vector<size_t>> before_;  // for each number of groups and last pair: the last pair but one
};

}  // namespace

int64_t padded_cost(const PairCounts& examples, std::span<const LengthPair> pairs) {
  int64_t cost = 0;
  for (const auto& [example, count] : examples) {
    const auto found = std::ranges::find_if(pairs, [&](const LengthPair& pair) { return holds(pair, example); });
    if (found == pairs.end()) {
      throw UsageError({.where = "padded_cost",
                        .given = "an example of lengths " + std::to_string(example.source) + " and " +
                                 std::to_string(example.target),
                        .expected = "a pair that holds it"});
    }
    cost += count * cost_of(*found);
  }
  return cost;
}

std::vector<LengthPair> choose_pairs(const PairCounts& examples, int64_t count) {
  require_at_least("choose_pairs", "count", count, 1);
  require_at_least("choose_pairs", "the number of pairs", std::ssize(examples), 1);
  PairCuts cuts(examples);
  for (int64_t i = 1; i < count; ++i) cuts.add_group();
  return cuts.pairs();
}

}  // namespace portatune::data
