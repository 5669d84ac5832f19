#include "portatune/tasks/next_sentence_prediction.h"

#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

using NextSentenceOptions = NextSentencePredictionOptions;

// The labels that transformers' class has, unless others are given or a trained model has them.
std::vector<std::string> next_sentence_labels(const TaskContext& context, const NextSentenceOptions& options) {
  if (!options.labels.empty()) return options.labels;
  const bool has_labels = tasks::labels_in(hub::read_config(context.model)).size() == 2;
  return context.classes == Classes::kOfModel && has_labels ? options.labels : std::vector<std::string>{"0", "1"};
}

std::unique_ptr<RowTask> make_next_sentence(const TaskContext& context, const NextSentenceOptions& options) {
  return std::make_unique<TextClassification>(
      context.model, TextClassificationOptions{.text_column = options.text_column,
                                               .text_pair_column = options.text_pair_column,
                                               .label_column = options.label_column,
                                               .max_length = options.max_length,
                                               .head = Head::kSoftmax,
                                               .predicts_next_sentence = true,
                                               .metrics = options.metrics,
                                               .loss = {.label_smoothing = options.label_smoothing},
                                               .labels = next_sentence_labels(context, options)});
}

std::vector<data::Example> rows_of_next_sentence(const RowTask& task, const NextSentenceOptions& options) {
  data::Example row = tasks::sample_row(task);
  tasks::set_if_read(row, options.label_column, task.row_labels().classes.front());
  return {row};
}

}  // namespace

void NextSentencePredictionOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  describe_label_column(fields, label_column);
  describe_classes(fields, labels);
  describe_metrics(fields, metrics);
  describe_label_smoothing(fields, label_smoothing);
  fields("text_pair_column", text_pair_column, "column of the text that may follow", {.kept = true});
}

const TaskSpec& next_sentence_prediction_spec() {
  static const TaskSpec kSpec = task_spec<NextSentenceOptions>(
      {.name = "next-sentence-prediction",
       .classes = {"ForNextSentencePrediction"},
       .run_options = {RunOption::kPadding, RunOption::kPacking, RunOption::kWeightColumn},
       .make = make_next_sentence,
       .sample_rows = rows_of_next_sentence});
  return kSpec;
}

}  // namespace portatune
