#include <algorithm>

#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/sources.h"
#include "portatune/tasks.h"

namespace portatune {
namespace {

UsageError one_shape() {
  return UsageError({.where = "lengths of batches",
                     .given = "a task whose batches have one shape",
                     .expected = "a task whose examples vary in length"});
}

UsageError no_targets() {
  return UsageError({.where = "lengths of targets",
                     .given = "a task whose examples have no targets",
                     .expected = "a task with a source and a target"});
}

}  // namespace

InitialWeights Task::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return hub::draw_weights(parameters, seed);
}

data::Dataset RowTask::read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const {
  table.columns = columns(labels);
  table.single_values = table.columns;
  for (const std::string& column : list_columns()) std::erase(table.single_values, column);
  return data::read_table(files, std::move(table));
}

bool RowTask::reads_one_text() const {
  const std::vector<std::string> texts = columns(Labels::kIgnored), lists = list_columns();
  return texts.size() == 1 && std::ranges::find(lists, texts.front()) == lists.end() && predicts_rows();
}

data::Dataset RowTask::training_batches(const data::Dataset& rows, int64_t size,
                                        const data::ShuffleOptions& order) const {
  return batches(rows.shuffle(order).named("shuffle"), size);
}

void RowTask::set_lengths(std::vector<int64_t>) { throw one_shape(); }

void RowTask::set_pairs(std::vector<data::LengthPair>) { throw no_targets(); }

std::optional<data::Dataset> RowTask::length_batches(const data::Dataset&, Labels) const { return std::nullopt; }

data::LengthCounts RowTask::length_counts(const data::Dataset&) const { throw one_shape(); }

data::PairCounts RowTask::pair_counts(const data::Dataset&) const { throw no_targets(); }

data::Dataset RowTask::packed_batches(const data::Dataset&, const data::PackedShapes&,
                                      const data::ShuffleOptions&) const {
  throw UsageError({.where = "packing",
                    .given = "a task without texts to pack",
                    .expected = "a task that reads one text, or one pair of texts, at a time"});
}

std::optional<int64_t> RowTask::cut_texts(const data::Example&) const { return std::nullopt; }

data::Dataset RowTask::examples(const data::Dataset& rows) const { return rows; }

std::unique_ptr<PredictionLines> RowTask::prediction_document() const { return nullptr; }

std::unique_ptr<ErrorAnalyzer> RowTask::error_analyzer(int64_t) const { return nullptr; }

}  // namespace portatune
