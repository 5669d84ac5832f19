#include "portatune/run/inputs/batches/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "portatune/data/batch/text_lengths.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"

namespace portatune::run {
namespace {

constexpr int64_t kSample = 10'000;  // Number of examples whose lengths are read.

std::vector<data::TextLengths> sample_of(const RunOptions& a, const RowTask& task, Events& events) {
  const data::Dataset rows = read_rows(a.model, a.train, task, RowTask::Labels::kRequired);
  const data::Dataset batches = interruptible(tolerant(a.model, task.batches(rows, 1))).take(kSample);
  const std::unique_ptr<RowProgress> progress = events.progress("counting tokens");
  std::vector<data::TextLengths> sample;
  for (const data::Example& batch :
       progress->over(batches).iterate()) {  // of one example, whose texts each have a row of the mask
    sample.push_back(data::text_lengths(batch.tensor(data::kAttentionMask)));
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

// Throws the task's own error if it cannot be packed, before any row is read.
void require_support(const RowTask& task, int64_t length) {
  static_cast<void>(
      task.packed_batches(data::from_examples({}), {.examples = 1, .rows = {1}, .length = length, .window = 1}, {}));
}

// True if the default is to pack: the task can be packed, and so can its model.
bool packs_by_default(const RunOptions& a, const RowTask& task) {
  if (a.model.padding || !task.can_be_packed()) return false;
  try {
    require_support(task, task.max_length());
    return true;
  } catch (const UsageError&) {
    return false;
  }
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
  if (is_automatic && !packs_by_default(a, task)) return std::nullopt;
  const int64_t length = task.max_length();
  require_support(task, length);
  const std::vector<data::TextLengths> sample = sample_of(a, task, events);
  if (sample.empty()) return std::nullopt;  // The caller reports missing rows.
  data::PackingPlan plan = a.packing == PackingPolicy::kTokenBudget
                               ? data::plan_token_budget(sample, budget_of(a, sample, length), length)
                               : data::plan_exact_examples(sample, a.batch_size, length);
  if (is_automatic && useful_when_padded(sample, task, length) > plan.useful) return std::nullopt;
  plan.shapes.parts = parts_of_step(a);
  events.notice(describe(plan, sample));
  return plan.shapes;
}

}  // namespace portatune::run
