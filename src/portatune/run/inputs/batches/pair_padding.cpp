#include "portatune/run/inputs/batches/pair_padding.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/base/text/number.h"
#include "portatune/data/batch/pair_lengths.h"
#include "portatune/run/inputs/batches/auto_lengths.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/batches/percent.h"

namespace portatune::run {
namespace {

using data::LengthPair;
using data::PairCounts;
using Pairs = std::vector<LengthPair>;

data::LengthCounts sources_of(const PairCounts& examples) {
  data::LengthCounts sources;
  for (const auto& [pair, count] : examples) sources[pair.source] += count;
  return sources;
}

// Pairs for given lengths of sources.
// multiple  lengths of targets are multiples of it, up to the maximum
Pairs pairs_for(const std::vector<int64_t>& sources, int64_t multiple, int64_t max_target, const PairCounts& examples) {
  Pairs pairs;
  for (const int64_t source : sources) {
    int64_t longest = 1;
    for (const auto& [example, count] : examples) {
      if (example.source <= source) longest = std::max(longest, example.target);
    }
    pairs.push_back({source, std::min((longest + multiple - 1) / multiple * multiple, max_target)});
  }
  return pairs;
}

int64_t positions_of(const LengthPair& pair) { return pair.source + pair.target; }

std::string text_of(const LengthPair& pair) { return fmt::format("{}+{}", pair.source, pair.target); }

}  // namespace

LengthPair longest_pair_of(const PairCounts& examples) {
  LengthPair longest{1, 1};
  for (const auto& [pair, count] : examples) {
    longest = {std::max(longest.source, pair.source), std::max(longest.target, pair.target)};
  }
  return longest;
}

Pairs pairs_of(const Padding& padding, const LengthPair& max, const PairCounts& examples, const LengthPair& longest) {
  PairCounts all = examples;
  all.try_emplace(longest, 0);
  const auto chosen = [&](int64_t count) { return data::choose_pairs(all, count); };
  switch (padding.kind) {
    case Padding::Kind::kMaxLength:
      return {max};
    case Padding::Kind::kAutoCount:
      return chosen(padding.number);
    case Padding::Kind::kAuto:
      return few_lengths(chosen, [&](const Pairs& pairs) { return data::padded_cost(all, pairs); });
    case Padding::Kind::kMultipleOf:
    case Padding::Kind::kBuckets:
      break;
  }
  const int64_t multiple = padding.kind == Padding::Kind::kMultipleOf ? padding.number : 1;
  return pairs_for(lengths_of(padding, max.source, sources_of(all), longest.source), multiple, max.target, all);
}

std::vector<std::string> describe_pairs(const PairCounts& examples, const Pairs& pairs, const LengthPair& max,
                                        const std::string& unit) {
  std::vector<int64_t> counts(pairs.size(), 0);
  int64_t tokens = 0, positions = 0, all = 0;
  for (const auto& [example, count] : examples) {
    const auto pair = std::ranges::find_if(pairs, [&](const LengthPair& p) { return data::holds(p, example); });
    counts[static_cast<size_t>(pair - pairs.begin())] += count;
    tokens += count * positions_of(example);
    positions += count * positions_of(*pair);
    all += count;
  }
  std::vector<std::string> names;
  for (const LengthPair& pair : pairs) names.push_back(text_of(pair));
  std::vector<std::string> lines = {fmt::format("batches of {} {}: {:.1f} % padding; all of {}: {:.1f} %",
                                                fmt::join(names, ", "), unit, 100 - percent(tokens, positions),
                                                text_of(max), 100 - percent(tokens, all * positions_of(max)))};
  for (size_t i = 0; i < pairs.size(); ++i) {
    lines.push_back(
        fmt::format("  {:>11} {:>12} examples {:>5.1f} %", names[i], grouped(counts[i]), percent(counts[i], all)));
  }
  return lines;
}

}  // namespace portatune::run
