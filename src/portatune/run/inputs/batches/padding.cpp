#include "portatune/run/inputs/batches/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/run/inputs/batches/auto_lengths.h"
#include "portatune/run/inputs/batches/pair_padding.h"
#include "portatune/run/inputs/batches/percent.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/tasks.h"

namespace portatune::run {
namespace {

constexpr int64_t kWidestBar = 40;
const Padding kDefaultPadding{.kind = Padding::Kind::kAuto, .number = 0, .lengths = {}};

std::vector<int64_t> numbers_in(std::string_view text) {
  std::vector<int64_t> numbers;
  for (const std::string& part : split(text, ',')) numbers.push_back(number_in<int64_t>(part).value_or(0));
  return numbers;
}

std::vector<int64_t> multiples(int64_t of, int64_t most) {
  std::vector<int64_t> lengths;
  for (int64_t length = of; length < most; length += of) lengths.push_back(length);
  lengths.push_back(most);
  return lengths;
}

std::vector<int64_t> buckets(std::vector<int64_t> lengths, int64_t max_length) {
  std::ranges::sort(lengths);
  lengths.erase(std::ranges::unique(lengths).begin(), lengths.end());
  if (lengths.back() > max_length) {
    throw UsageError({.where = "padding",
                      .given = fmt::format("a bucket of {}", lengths.back()),
                      .expected = fmt::format("at most {}, the maximal length of an example", max_length),
                      .fix = "leave that bucket out, or allow longer examples"});
  }
  if (lengths.back() < max_length) lengths.push_back(max_length);  // texts may be as long as that
  return lengths;
}

int64_t longest_of(const data::LengthCounts& examples) { return examples.empty() ? 0 : examples.rbegin()->first; }

data::LengthCounts count_lengths(const RowTask& task, const data::Dataset& batches, const data::LengthCounts*) {
  return task.length_counts(batches);
}
data::PairCounts count_lengths(const RowTask& task, const data::Dataset& batches, const data::PairCounts*) {
  return task.pair_counts(batches);
}

// Counts: data::LengthCounts, or data::PairCounts.
template <class Counts>
Counts count_all(const RowTask& task, const std::vector<data::Dataset>& sets, Events& events) {
  const std::unique_ptr<RowProgress> progress = events.progress(std::string("counting ") + task.length_unit());
  Counts counts;
  for (const data::Dataset& batches : sets) {
    const data::Dataset read = progress->over(interruptible(batches));
    for (const auto& [length, examples] : count_lengths(task, read, static_cast<const Counts*>(nullptr))) {
      counts[length] += examples;
    }
  }
  return counts;
}

struct Sums {
  int64_t examples = 0, tokens = 0;
};

Sums sums_of(const data::LengthCounts& examples) {
  Sums sums;
  for (const auto& [length, count] : examples) {
    sums.examples += count;
    sums.tokens += length * count;
  }
  return sums;
}

// Adds a length without examples, so that the longest example of another set fits too.
data::LengthCounts with_longest(data::LengthCounts examples, int64_t longest) {
  examples.try_emplace(longest, 0);
  return examples;
}

std::vector<int64_t> few_lengths_for(const data::LengthCounts& examples) {
  return few_lengths([&](int64_t count) { return data::choose_lengths(examples, count); },
                     [&](const std::vector<int64_t>& lengths) { return data::padded_positions(examples, lengths); });
}

// Lengths, and the lines that describe them. Without examples there are none: the caller reports missing rows.
struct Described {
  BatchLengths chosen;
  std::vector<std::string> lines;
};

using Batches = std::vector<data::Dataset>;

Described chosen_lengths(const RowTask& task, const Padding& policy, const Batches& chosen_for, const Batches& others,
                         Events& events) {
  const auto examples = count_all<data::LengthCounts>(task, chosen_for, events);
  if (examples.empty()) return {};
  const int64_t longest =
      std::max(longest_of(examples), longest_of(count_all<data::LengthCounts>(task, others, events)));
  const std::vector<int64_t> lengths = lengths_of(policy, task.max_length(), examples, longest);
  return {{lengths, {}}, describe_lengths(examples, lengths, task.max_length(), task.length_unit())};
}

Described chosen_pairs(const RowTask& task, const Padding& policy, const Batches& chosen_for, const Batches& others,
                       Events& events) {
  const auto examples = count_all<data::PairCounts>(task, chosen_for, events);
  if (examples.empty()) return {};
  const bool has_targets = std::ranges::any_of(examples, [](const auto& one) { return one.first.target > 0; });
  if (!has_targets) return chosen_lengths(task, policy, chosen_for, others, events);
  const data::LengthPair max{task.max_length(), task.max_target_length()};
  const data::LengthPair a = longest_pair_of(examples),
                         b = longest_pair_of(count_all<data::PairCounts>(task, others, events));
  const data::LengthPair longest{std::max(a.source, b.source), std::max(a.target, b.target)};
  const std::vector<data::LengthPair> pairs = pairs_of(policy, max, examples, longest);
  return {{{}, pairs}, describe_pairs(examples, pairs, max, task.pair_unit())};
}

}  // namespace

std::optional<Padding> padding_called(const std::string& text) {
  if (text == "max_length") return Padding{};
  if (text == "auto") return kDefaultPadding;
  const size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  const std::vector<int64_t> numbers = numbers_in(std::string_view(text).substr(std::min(equals + 1, text.size())));
  if (std::ranges::any_of(numbers, [](int64_t number) { return number < 1; })) return std::nullopt;
  if (name == "buckets") return Padding{.kind = Padding::Kind::kBuckets, .lengths = numbers};
  if (numbers.size() != 1) return std::nullopt;
  if (name == "multiple_of") return Padding{.kind = Padding::Kind::kMultipleOf, .number = numbers[0], .lengths = {}};
  if (name == "auto") return Padding{.kind = Padding::Kind::kAutoCount, .number = numbers[0], .lengths = {}};
  return std::nullopt;
}

Padding padding_for(const std::optional<Padding>& given, const RowTask& task) {
  if (given) return *given;
  return task.varies_in_length() ? kDefaultPadding : Padding{};
}

std::vector<int64_t> lengths_of(const Padding& padding, int64_t max_length, const data::LengthCounts& examples,
                                int64_t longest) {
  std::vector<int64_t> lengths;
  switch (padding.kind) {
    case Padding::Kind::kMaxLength:
      return {max_length};
    case Padding::Kind::kMultipleOf:
      lengths = multiples(padding.number, max_length);
      break;
    case Padding::Kind::kBuckets:
      lengths = buckets(padding.lengths, max_length);
      break;
    case Padding::Kind::kAuto:
      lengths = few_lengths_for(with_longest(examples, longest));
      break;
    case Padding::Kind::kAutoCount:
      lengths = data::choose_lengths(with_longest(examples, longest), padding.number);
  }
  const auto holds_all = std::ranges::lower_bound(lengths, longest);
  if (holds_all != lengths.end()) lengths.erase(holds_all + 1, lengths.end());
  return lengths;
}

std::vector<std::string> describe_lengths(const data::LengthCounts& examples, const std::vector<int64_t>& lengths,
                                          int64_t max_length, const std::string& unit) {
  const Sums sums = sums_of(examples);
  const double padding = 100 - percent(sums.tokens, data::padded_positions(examples, lengths));
  const double in_one_length = 100 - percent(sums.tokens, sums.examples * max_length);
  std::vector<std::string> lines = {fmt::format("batches of {} {}: {:.1f} % padding; all of {} {}: {:.1f} %",
                                                fmt::join(lengths, ", "), unit, padding, max_length, unit,
                                                in_one_length)};
  int64_t shortest = 1;
  for (const int64_t length : lengths) {
    int64_t count = 0;
    for (auto at = examples.lower_bound(shortest); at != examples.upper_bound(length); ++at) count += at->second;
    const double share = percent(count, sums.examples);
    lines.push_back(fmt::format("  {:>5} to {:>5} {} {:>12} examples {:>5.1f} % {}", shortest, length, unit,
                                grouped(count), share,
                                std::string(static_cast<size_t>(share / 100 * kWidestBar), '#')));
    shortest = length + 1;
  }
  return lines;
}

BatchLengths choose_lengths(const RowTask& task, const std::optional<Padding>& padding,
                            const std::vector<data::Dataset>& chosen_for, const std::vector<data::Dataset>& others,
                            Events& events) {
  const Padding policy = padding_for(padding, task);
  if (policy.kind == Padding::Kind::kMaxLength) return {};
  const auto [chosen, lines] = task.max_target_length() > 0 ? chosen_pairs(task, policy, chosen_for, others, events)
                                                            : chosen_lengths(task, policy, chosen_for, others, events);
  // The histogram is for those who choose a policy.
  for (const std::string& line : std::span(lines).first(padding ? lines.size() : std::min<size_t>(lines.size(), 1))) {
    events.notice(line);
  }
  return chosen;
}

void set_lengths(RowTask& task, const BatchLengths& chosen) {
  if (!chosen.lengths.empty()) task.set_lengths(chosen.lengths);
  if (!chosen.pairs.empty()) task.set_pairs(chosen.pairs);
}

}  // namespace portatune::run
