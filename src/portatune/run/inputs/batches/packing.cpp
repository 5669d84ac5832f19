#include "portatune/run/inputs/batches/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "portatune/data/batch/text_lengths.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/batches/pair_padding.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/tasks/rows/packed_pairs.h"

namespace portatune::run {
namespace {

constexpr int64_t kSample = 10'000;  // Number of examples whose lengths are read.
// Padded pairs must cost a tenth more than packed ones, because cross-attention computes whole rows.
constexpr double kMinCostRatioOfPairs = 1.1;

// The first examples.
struct Sample {
  std::vector<data::TextLengths> texts;  // of pairs: the size of each, as one text
  data::PairCounts pairs;                // of a task with targets
};

tasks::PairRows rows_of_pairs(const RowTask& task) { return {task.max_length(), task.max_target_length()}; }

Sample sample_of(const RunOptions& a, const RowTask& task, Events& events) {
  const data::Dataset rows = read_rows(a.model, a.train, task, RowTask::Labels::kRequired);
  const data::Dataset batches = interruptible(tolerant(a.model, task.batches(rows, 1))).take(kSample);
  const std::unique_ptr<RowProgress> progress = events.progress("counting tokens");
  Sample sample;
  for (const data::Example& batch :
       progress->over(batches).iterate()) {  // of one example, whose texts each have a row of the mask
    if (task.max_target_length() == 0) {
      sample.texts.push_back(data::text_lengths(batch.tensor(data::kAttentionMask)));
      continue;
    }
    const data::LengthPair pair = task.pair_counts(data::from_examples({batch})).begin()->first;
    sample.texts.push_back({rows_of_pairs(task).size_of(pair)});
    ++sample.pairs[pair];
  }
  return sample;
}

double mean_tokens(const std::vector<data::TextLengths>& sample) {
  double tokens = 0;
  for (const data::TextLengths& texts : sample) {
    for (const int64_t length : texts) tokens += static_cast<double>(length);
  }
  return tokens / static_cast<double>(sample.size());
}

// A token budget for about --batch-size examples per batch.
int64_t budget_of(const RunOptions& a, const std::vector<data::TextLengths>& sample, int64_t max_length) {
  if (a.tokens_per_batch > 0) return a.tokens_per_batch;
  const double length = static_cast<double>(max_length);
  const double rows = std::max(1.0, std::round(static_cast<double>(a.batch_size) * mean_tokens(sample) / length));
  return static_cast<int64_t>(rows * length);
}

std::string describe(const data::PackingPlan& plan, const std::vector<data::TextLengths>& sample) {
  const data::PackedShapes& shapes = plan.shapes;
  const std::string examples = shapes.packing == data::Packing::kExactExamples
                                   ? fmt::format("{} examples", shapes.examples)
                                   : fmt::format("about {:.0f} examples", plan.examples_per_batch);
  const double padded = static_cast<double>(sample.front().size()) * static_cast<double>(shapes.length);
  return fmt::format("packing {}{} into {} rows of {}: {:.1f} % padding; one text per row: {:.1f} %",
                     shapes.parts > 1 ? fmt::format("{} x ", shapes.parts) : "", examples,
                     fmt::join(shapes.rows, " or "), shapes.length, 100 * (1 - plan.useful),
                     100 * (1 - mean_tokens(sample) / padded));
}

// Share of tokens among the positions of batches that the default of --padding makes. All texts of an example are
// padded to the longest one.
double useful_when_padded(const std::vector<data::TextLengths>& sample, const RowTask& task, int64_t max_length) {
  data::LengthCounts counts;
  for (const data::TextLengths& texts : sample) ++counts[std::ranges::max(texts)];
  const std::vector<int64_t> lengths =
      lengths_of(padding_for(std::nullopt, task), max_length, counts, counts.rbegin()->first);
  const auto positions = static_cast<double>(data::padded_positions(counts, lengths));
  const auto texts_each = static_cast<double>(sample.front().size());
  return mean_tokens(sample) * static_cast<double>(sample.size()) / (positions * texts_each);
}

// The cost of an example of each form of batches, by the measure of data::padded_cost().
struct PairCosts {
  double tokens, packed, padded;
};

PairCosts costs_of_pairs(const data::PackingPlan& plan, const Sample& sample, const RowTask& task) {
  const auto examples = static_cast<double>(sample.texts.size());
  const tasks::PairRows rows = rows_of_pairs(task);
  const double row = static_cast<double>(rows.length + 2 * rows.target_length());
  const double rows_each = mean_tokens(sample.texts) / (plan.useful * static_cast<double>(rows.length));
  double tokens = 0;
  for (const auto& [pair, count] : sample.pairs) tokens += static_cast<double>(count * (pair.source + 2 * pair.target));
  const data::LengthPair max{task.max_length(), task.max_target_length()};
  const std::vector<data::LengthPair> pairs =
      pairs_of(padding_for(std::nullopt, task), max, sample.pairs, longest_pair_of(sample.pairs));
  return {.tokens = tokens / examples,
          .packed = rows_each * row,
          .padded = static_cast<double>(data::padded_cost(sample.pairs, pairs)) / examples};
}

std::string describe_packed_pairs(const data::PackingPlan& plan, const PairCosts& costs, const RowTask& task) {
  const tasks::PairRows rows = rows_of_pairs(task);
  return fmt::format(
      "packing {}{} pairs into {} rows of {}+{} tokens (source+target): {:.1f} % padding; one pair per "
      "row: {:.1f} %",
      plan.shapes.parts > 1 ? fmt::format("{} x ", plan.shapes.parts) : "",
      plan.shapes.packing == data::Packing::kExactExamples ? std::to_string(plan.shapes.examples)
                                                           : fmt::format("about {:.0f}", plan.examples_per_batch),
      fmt::join(plan.shapes.rows, " or "), rows.length, rows.target_length(), 100 * (1 - costs.tokens / costs.packed),
      100 * (1 - costs.tokens / static_cast<double>(task.max_length() + 2 * task.max_target_length())));
}

// Throws the task's own error if it cannot be packed, before any row is read.
void require_support(const RowTask& task, int64_t length) {
  static_cast<void>(
      task.packed_batches(data::from_examples({}), {.examples = 1, .rows = {1}, .length = length, .window = 1}, {}));
}

}  // namespace

std::string name_of(data::Packing packing) {
  return packing == data::Packing::kExactExamples ? "exact_examples" : "token_budget";
}

std::optional<data::PackedShapes> chosen_packing(const RunOptions& a, const RowTask& task, Events& events) {
  if (a.tokens_per_batch > 0 && a.packing != PackingPolicy::kTokenBudget) {
    throw UsageError({.where = "tokens_per_batch",
                      .given = "no --packing token_budget",
                      .expected = "--packing token_budget, as --batch-size sets the size of all other batches"});
  }
  const bool is_automatic = a.packing == PackingPolicy::kAutomatic;
  if (a.packing == PackingPolicy::kNone) return std::nullopt;
  if (is_automatic && (a.model.padding || !task.can_be_packed())) return std::nullopt;
  const int64_t length = task.max_length();
  require_support(task, length);
  const Sample sample = sample_of(a, task, events);
  if (sample.texts.empty()) return std::nullopt;  // The caller reports missing rows.
  data::PackingPlan plan = a.packing == PackingPolicy::kTokenBudget
                               ? data::plan_token_budget(sample.texts, budget_of(a, sample.texts, length), length)
                               : data::plan_exact_examples(sample.texts, a.batch_size, length);
  plan.shapes.parts = parts_of_step(a);
  if (!sample.pairs.empty()) {
    const PairCosts costs = costs_of_pairs(plan, sample, task);
    if (is_automatic && costs.padded < kMinCostRatioOfPairs * costs.packed) return std::nullopt;
    events.notice(describe_packed_pairs(plan, costs, task));
    return plan.shapes;
  }
  if (is_automatic && useful_when_padded(sample.texts, task, length) > plan.useful) return std::nullopt;
  events.notice(describe(plan, sample.texts));
  return plan.shapes;
}

}  // namespace portatune::run
