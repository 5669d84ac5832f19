// The task "text-classification": how it finds its head and its labels.
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/objectives/class_weights.h"
#include "portatune/tasks/objectives/heads.h"
#include "portatune/tasks/rows/found_classes.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/label_sets.h"
#include "portatune/tasks/rows/row_labels.h"
#include "portatune/tasks/rows/token_ids.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_classification.h"

namespace portatune {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kTextClassification = "text-classification";

// The head of the options, or that of the checkpoint; rows with several labels need the multi-label head.
Head head_for(const TextClassificationRunOptions& options, const TaskContext& context, const data::Dataset& rows) {
  const std::optional<data::Example> first = rows.iterate().next();
  const bool several = !options.label_columns.empty() || (first && tasks::is_label_list(*first, options.label_column));
  const Head head = options.head ? *options.head : tasks::head_in(hub::read_config(context.model));
  if (!several || head == Head::kMultiLabel) return head;
  if (head == Head::kRegression && !options.label_columns.empty()) return head;
  if (!options.head) return Head::kMultiLabel;
  throw UsageError({.where = "--head " + std::string(tasks::name_of(head)),
                    .given = "rows that may have several labels",
                    .expected = "multi_label_classification, or rows with one label"});
}

// The rows with all columns that training needs. Labels are read with the texts, so that a missing column is reported
// before faults in the labels.
data::Dataset rows_of(const TextClassificationRunOptions& options, const TaskContext& context,
                      std::optional<Head> head) {
  Names texts = {options.text_column};
  if (!options.text_pair_column.empty()) texts.push_back(options.text_pair_column);
  data::TableOptions table = context.table;
  table.columns = tasks::text_or_id_columns(context.files, table, texts);
  table.columns.insert(table.columns.end(), options.label_columns.begin(), options.label_columns.end());
  if (options.label_columns.empty()) table.columns.push_back(options.label_column);
  table.single_values = std::move(texts);
  const bool is_one_value = head && *head != Head::kMultiLabel && options.label_columns.empty();
  if (is_one_value) table.single_values.push_back(options.label_column);
  return data::read_table(context.files, std::move(table));
}

Names label_sets_in(const TextClassificationRunOptions& options, const TaskContext& context,
                    const data::Dataset& rows) {
  const auto has_labels = [column = options.label_column,
                           separator = options.label_separator](const data::Example& row) {
    tasks::label_set(row, column, separator);
    return true;
  };
  return label_sets_of(context.readable(rows.filter(has_labels)), options.label_column, options.label_separator).labels;
}

// The classes of rows with one class each. A model without a chosen head that knows them needs no check for fractions.
Names classes_in(const TextClassificationRunOptions& options, const TaskContext& context, Head head,
                 const data::Dataset& rows) {
  Names classes = tasks::classes_of_rows(context, rows, options.label_column);
  tasks::require_several_classes(classes, context, options.label_column);
  if (options.head || head != Head::kSoftmax) return classes;
  const Names stored = tasks::labels_in(hub::read_config(context.model));
  if (tasks::in_stored_order(classes, stored) != stored) {
    tasks::require_no_fractions(classes, context, options.label_column);
  }
  return classes;
}

Names labels_in(const TextClassificationRunOptions& options, const TaskContext& context, Head head,
                const data::Dataset& rows) {
  if (!options.labels.empty() || head == Head::kRegression) return options.labels;
  if (!options.label_columns.empty()) return options.label_columns;
  if (head != Head::kMultiLabel) return classes_in(options, context, head, rows);
  Names labels = label_sets_in(options, context, rows);
  tasks::require_several_classes(labels, context, options.label_column);
  return labels;
}

TextClassificationOptions learnt_from_rows(const TextClassificationRunOptions& options, const TaskContext& context) {
  TextClassificationOptions found = options;
  const Head head = head_for(options, context, context.readable(rows_of(options, context, std::nullopt)));
  const data::Dataset rows = rows_of(options, context, head);
  found.head = head;
  found.labels = labels_in(options, context, head, rows);
  const Names classes = head == Head::kSigmoid ? Names{"0", "1"} : tasks::in_order_of_model(found.labels, context);
  found.loss = tasks::with_class_weights(options.loss, options.weights, head, tasks::row_labels(found, head, classes),
                                         context, rows);
  return found;
}

std::unique_ptr<RowTask> make_text_classification(const TaskContext& context,
                                                  const TextClassificationRunOptions& options) {
  if (context.classes == Classes::kOfRows) {
    return std::make_unique<TextClassification>(context.model, learnt_from_rows(options, context));
  }
  TextClassificationOptions found = options;
  if (context.classes == Classes::kAssumed && !found.label_columns.empty()) found.labels = found.label_columns;
  found.labels = tasks::classes_without_rows(context, kTextClassification, std::move(found.labels), found.head);
  return std::make_unique<TextClassification>(context.model, std::move(found));
}

std::vector<data::Example> rows_of_text_classification(const RowTask& task,
                                                       const TextClassificationRunOptions& options) {
  const RowLabels labels = task.row_labels();
  data::Example row = tasks::sample_row(task);
  for (const std::string& column : options.label_columns) row.set(column, "0");
  for (const std::string& column : labels.number_columns) row.set(column, "0");
  if (!labels.classes.empty()) tasks::set_if_read(row, options.label_column, labels.classes.front());
  return {row};
}

}  // namespace

void TextClassificationRunOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  describe_label_column(fields, label_column);
  describe_classes(fields, labels);
  describe_metrics(fields, metrics);
  fields("text_pair_column", text_pair_column, "column of a second text", {.kept = true});
  fields("label_columns", label_columns, "columns of 0 and 1 for several labels; of numbers for regression",
         {.excludes = "label_column", .use = OptionUse::kLabels, .kept = true});
  fields("label_separator", label_separator, "separator of several labels in a text that is no JSON list",
         {.use = OptionUse::kLabels, .kept = true});
  fields("head", head, "softmax, sigmoid (of 0/1), multi_label_classification, regression",
         {.other_names = "problem_type",
          .placeholder = "NAME",
          .default_help = "the model's",
          .use = OptionUse::kTraining});
  describe_loss(fields, loss, weights);
  fields("positive_weights", weights.positive_weights,
         "weights of labels that apply, as --class-weights; for sigmoid heads", {.use = OptionUse::kTraining});
}

const TaskSpec& text_classification_spec() {
  static const TaskSpec kSpec = task_spec<TextClassificationRunOptions>(
      {.name = kTextClassification,
       .classes = {"ForSequenceClassification"},
       .run_options = {RunOption::kPadding, RunOption::kPacking, RunOption::kWeightColumn},
       .pipeline = "text-classification",
       .make = make_text_classification,
       .sample_rows = rows_of_text_classification});
  return kSpec;
}

}  // namespace portatune
