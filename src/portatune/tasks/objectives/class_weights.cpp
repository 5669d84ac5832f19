#include "portatune/tasks/objectives/class_weights.h"

#include <algorithm>
#include <numeric>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/data/read/map_rows.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/sources.h"
#include "portatune/tasks/rows/label_names.h"

namespace portatune::tasks {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kBalanced = "balanced";
constexpr const char* kClassWeights = "--class-weights";
constexpr const char* kPositiveWeights = "--positive-weights";

struct Counts {
  int64_t rows = 0;
  std::vector<int64_t> with;  // rows with each class, or words with each tag
};

Counts count(const TaskContext& context, const RowLabels& labels, const data::Dataset& rows) {
  Counts counts{.with = std::vector<int64_t>(labels.classes.size())};
  const data::Dataset readable = context.readable(rows.filter([&](const data::Example& row) {
    const Names of_row = labels.in_row(row);
    ++counts.rows;
    for (const std::string& label : of_row) {
      // Encoding the row reports a label outside the classes.
      if (const auto id = id_of(label, labels.classes)) ++counts.with.at(static_cast<size_t>(*id));
    }
    return true;
  }));
  data::Cursor cursor = readable.iterate();
  while (cursor.next()) {
  }
  return counts;
}

void require_balance(bool holds, const char* option, const std::string& label, int64_t rows) {
  if (holds) return;
  throw DataError({.where = std::string(option) + " " + kBalanced,
                   .given = "class " + in_quotes(label) + " in " + std::to_string(rows) + " of the training rows",
                   .expected = "rows of every class, and rows without it"});
}

// samples / (classes x samples of the class), as sklearn.utils.class_weight.compute_class_weight("balanced"). A sample
// is a row, or a word with a tag.
std::vector<float> balanced_class_weights(const Counts& counts, const Names& classes) {
  const int64_t samples = std::reduce(counts.with.begin(), counts.with.end());
  std::vector<float> weights;
  for (size_t i = 0; i < classes.size(); ++i) {
    require_balance(counts.with[i] > 0, kClassWeights, classes[i], counts.with[i]);
    weights.push_back(
        static_cast<float>(static_cast<double>(samples) / static_cast<double>(counts.with[i] * std::ssize(classes))));
  }
  return weights;
}

// Rows without the label / rows with it. The one logit of a sigmoid head is that of the second class.
std::vector<float> balanced_positive_weights(const Counts& counts, const Names& classes, Head head) {
  std::vector<float> weights;
  for (size_t i = head == Head::kSigmoid ? 1 : 0; i < classes.size(); ++i) {
    const int64_t with = counts.with[i], without = counts.rows - with;
    require_balance(with > 0 && without > 0, kPositiveWeights, classes[i], with);
    weights.push_back(static_cast<float>(static_cast<double>(without) / static_cast<double>(with)));
  }
  return weights;
}

float weight_in(const char* option, const std::string& text) {
  if (const auto weight = number_in<float>(text)) return *weight;
  throw UsageError({.where = option, .given = in_quotes(text), .expected = "a number"});
}

// The rows of a file of weights. A word that names no file may be a misspelt "balanced".
data::Dataset rows_of_file(const char* option, const std::string& file) {
  const data::MappedRows as_they_are(nullptr);
  try {
    return data::read_table({file}, {.columns = {"label", "weight"}});
  } catch (const NotFoundError&) {
    if (io::is_remote(file)) throw;
    throw NotFoundError(
        {.where = option,
         .given = in_quotes(file) + ", which is neither " + kBalanced + " nor a file",
         .expected = std::string(kBalanced) + ", a number for each class, or a file with the columns label and weight",
         .fix = suggestion(nearest(file, {kBalanced}))});
  }
}

std::vector<float> weights_in_file(const char* option, const std::string& file, const Names& labels) {
  std::vector<std::optional<float>> weights(labels.size());
  data::Cursor rows = rows_of_file(option, file).iterate();
  while (const std::optional<data::Example> row = rows.next()) {
    weights.at(static_cast<size_t>(label_id(*row, "label", labels))) = weight_in(option, row->text("weight"));
  }
  std::vector<float> result;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!weights[i]) {
      throw UsageError({.where = file,
                        .given = "no row for class " + in_quotes(labels[i]),
                        .expected = "a weight for each of " + list_of(labels)});
    }
    result.push_back(*weights[i]);
  }
  return result;
}

// Weights that are given as numbers or as a file; none without words.
std::vector<float> given_weights(const char* option, const Names& words, const Names& labels) {
  if (words.size() == 1 && !number_in<float>(words.front())) return weights_in_file(option, words.front(), labels);
  std::vector<float> weights;
  for (const std::string& word : words) weights.push_back(weight_in(option, word));
  return weights;
}

}  // namespace

LossOptions with_class_weights(LossOptions loss, const ClassWeights& weights, Head head, const RowLabels& labels,
                               const TaskContext& context, const data::Dataset& rows) {
  const Names &of_classes = weights.class_weights, &of_positives = weights.positive_weights;
  if (of_classes.empty() && of_positives.empty()) return loss;
  if (labels.classes.empty()) {
    throw UsageError({.where = of_classes.empty() ? kPositiveWeights : kClassWeights,
                      .given = "a regression head",
                      .expected = "a head of classes"});
  }
  const Names balanced = {kBalanced};
  std::optional<Counts> counts;
  if (of_classes == balanced || of_positives == balanced) counts = count(context, labels, rows);
  loss.class_weights = of_classes == balanced ? balanced_class_weights(*counts, labels.classes)
                                              : given_weights(kClassWeights, of_classes, labels.classes);
  const Names of_logits = head == Head::kSigmoid ? Names{labels.classes.back()} : labels.classes;
  loss.positive_weights = of_positives == balanced ? balanced_positive_weights(*counts, labels.classes, head)
                                                   : given_weights(kPositiveWeights, of_positives, of_logits);
  return loss;
}

}  // namespace portatune::tasks
