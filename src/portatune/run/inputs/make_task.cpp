#include "portatune/run/inputs/make_task.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/question_answering.h"
#include "portatune/run/inputs/added_tasks.h"
#include "portatune/run/inputs/class_checks.h"
#include "portatune/run/inputs/class_weights.h"
#include "portatune/run/inputs/rows.h"
#include "portatune/run/inputs/task_options.h"
#include "portatune/sources.h"
#include "portatune/tasks/objectives/heads.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/label_sets.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/tasks/rows/row_labels.h"
#include "portatune/tasks/rows/token_ids.h"
#include "portatune/token_classification.h"

namespace portatune::run {
namespace {

// The head of the options, or that of the checkpoint; rows with several labels need the multi-label head.
Head head_for(const TextClassificationOptions& options, const std::filesystem::path& folder,
              const data::Dataset& rows) {
  const std::optional<data::Example> first = rows.iterate().next();
  const bool several = !options.label_columns.empty() || (first && tasks::is_label_list(*first, options.label_column));
  const Head head = options.head ? *options.head : tasks::head_in(hub::read_config(folder));
  if (!several || head == Head::kMultiLabel) return head;
  if (head == Head::kRegression && !options.label_columns.empty()) return head;
  if (!options.head) return Head::kMultiLabel;
  throw UsageError({.where = "--head " + std::string(tasks::name_of(head)),
                    .given = "rows that may have several labels",
                    .expected = "multi_label_classification, or rows with one label"});
}

// The rows that have labels; others are errors or skipped.
data::Dataset labelled(const ModelOptions& model, const data::Dataset& rows, const TextClassificationOptions& options) {
  const auto check = [options](const data::Example& row) {
    if (options.head == Head::kMultiLabel) {
      tasks::label_set(row, options.label_column, options.label_separator);
    } else {
      tasks::require_label(row, options.label_column);
    }
    return true;
  };
  return interruptible(tolerant(model, rows.filter(check)));
}

std::vector<std::string> labels_in(const ModelOptions& model, const data::Dataset& rows,
                                   const TextClassificationOptions& options) {
  if (!options.labels.empty() || options.head == Head::kRegression) return options.labels;
  if (!options.label_columns.empty()) return options.label_columns;
  const data::Dataset with_labels = labelled(model, rows, options);
  if (options.head != Head::kMultiLabel) return labels_of(with_labels, options.label_column).labels;
  return label_sets_of(with_labels, options.label_column, options.label_separator).labels;
}

// Checks classes that come from the rows. The classes of the checkpoint need no check.
void check_classes(const ModelOptions& model, const std::filesystem::path& folder,
                   const std::vector<std::string>& files, const TextClassificationOptions& options) {
  const bool is_from_rows = model.options.labels.empty() && options.label_columns.empty();
  if (options.head == Head::kRegression || !is_from_rows) return;
  const ClassSource source{files, options.label_column};
  require_several_classes(options.labels, source);
  if (model.options.head || options.head != Head::kSoftmax) return;
  const std::vector<std::string> stored = tasks::labels_in(hub::read_config(folder));
  if (tasks::in_stored_order(options.labels, stored) != stored) require_no_fractions(options.labels, source);
}

// The classes in the order of their ids.
std::vector<std::string> stored_order(const TextClassificationOptions& options, const std::filesystem::path& folder) {
  if (options.head == Head::kSigmoid) return {"0", "1"};
  return tasks::in_stored_order(options.labels, tasks::labels_in(hub::read_config(folder)));
}

std::unique_ptr<RowTask> text_classification(const ModelOptions& model, const std::filesystem::path& folder,
                                             const std::vector<std::string>& files, Classes classes) {
  TextClassificationOptions options = model.options;
  if (classes == Classes::kOfRows) {
    // Read with the other columns, so that a missing one is reported before faults in the labels.
    std::vector<std::string> columns = {options.text_column};
    if (!options.text_pair_column.empty()) columns.push_back(options.text_pair_column);
    std::vector<std::string> texts = columns;
    columns = tasks::text_or_id_columns(files, model.table, std::move(columns));
    columns.insert(columns.end(), options.label_columns.begin(), options.label_columns.end());
    if (options.label_columns.empty()) columns.push_back(options.label_column);
    data::TableOptions table = table_options(model, columns);
    table.single_values = std::move(texts);
    options.head = head_for(options, folder, tolerant(model, data::read_table(files, table)));
    const bool is_one_value = options.head != Head::kMultiLabel && options.label_columns.empty();
    if (is_one_value) table.single_values.push_back(options.label_column);
    const data::Dataset rows = data::read_table(files, std::move(table));
    options.labels = labels_in(model, rows, options);
    check_classes(model, folder, files, options);
    const RowLabels labels = tasks::row_labels(options, *options.head, stored_order(options, folder));
    options.loss = loss_options(model, *options.head, labels, rows);
  }
  return std::make_unique<TextClassification>(folder, std::move(options));
}

std::unique_ptr<RowTask> masked_lm(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>&, Classes) {
  MaskedLmOptions options = model.masked_lm;
  options.text_column = model.options.text_column;
  options.max_length = model.options.max_length;
  if (options.next_sentence && model.bad_rows) {
    throw UsageError({.where = "bad_rows",
                      .given = "--next-sentence as well",
                      .expected = "--bad-rows fail: without a row, its neighbours would follow each other"});
  }
  return portatune::masked_lm(folder, std::move(options));
}

std::unique_ptr<RowTask> causal_lm(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes) {
  InstructionOptions instructions = model.instructions;
  if (!(instructions.messages_column + instructions.prompt_column + instructions.completion_column).empty()) {
    instructions.max_length = model.options.max_length;
    return instruction_tuning(folder, std::move(instructions));
  }
  const bool is_text = !files.empty() && data::kind_extension(data::table_files(files).front(), model.table) == ".txt";
  return portatune::causal_lm(
      folder,
      {.text_column = model.options.text_column, .block_size = model.options.max_length, .rows_are_lines = is_text});
}

std::unique_ptr<RowTask> token_classification(const ModelOptions& model, const std::filesystem::path& folder,
                                              const std::vector<std::string>& files, Classes classes) {
  TokenClassificationOptions options{.tokens_column = model.tokens_column,
                                     .tags_column = model.tags_column,
                                     .max_length = model.options.max_length,
                                     .labels = model.options.labels};
  if (classes == Classes::kOfRows) {
    const auto has_tags = [column = options.tags_column](const data::Example& row) {
      tasks::texts_in(row, column);
      return true;
    };
    const data::Dataset rows = read_tagged(files, options.tokens_column, options.tags_column, model.table);
    options.labels = tags_of(interruptible(tolerant(model, rows.filter(has_tags))), options.tags_column);
  }
  return std::make_unique<TokenClassification>(folder, std::move(options));
}

std::unique_ptr<RowTask> question_answering(const ModelOptions& model, const std::filesystem::path& folder,
                                            const std::vector<std::string>&, Classes) {
  QuestionAnsweringOptions options = model.question_answering;
  options.max_length = model.options.max_length;
  return std::make_unique<QuestionAnswering>(folder, options);
}

std::unique_ptr<RowTask> multiple_choice(const ModelOptions& model, const std::filesystem::path& folder,
                                         const std::vector<std::string>&, Classes) {
  MultipleChoiceOptions options = model.multiple_choice;
  options.label_column = model.options.label_column;
  options.max_length = model.options.max_length;
  return portatune::multiple_choice(folder, std::move(options));
}

std::unique_ptr<RowTask> image_classification(const ModelOptions& model, const std::filesystem::path& folder,
                                              const std::vector<std::string>& files, Classes classes) {
  ImageClassificationOptions options = model.images;
  options.metrics = model.options.metrics;
  options.label_column = model.options.label_column;
  options.labels = model.options.labels;
  if (classes == Classes::kOfRows) {
    const data::Dataset rows = read_images(files, options.image_column, options.label_column, model.table);
    if (options.labels.empty()) {
      options.labels =
          labels_of(labelled(model, rows, {.label_column = options.label_column}), options.label_column).labels;
      require_several_classes(options.labels, {files, options.label_column});
    }
    const RowLabels labels =
        tasks::one_class_a_row(stored_order({.labels = options.labels}, folder), options.label_column);
    options.loss = loss_options(model, Head::kSoftmax, labels, rows);
  }
  return std::make_unique<ImageClassification>(folder, std::move(options));
}

// Without training, a classifier needs classes of an earlier training.
void require_classifier(const std::string& task, const ModelOptions& model, const std::filesystem::path& folder) {
  if (!task.ends_with("-classification") || !model.options.labels.empty() || model.options.head) return;
  const io::JsonObject config = hub::read_config(folder);
  if (!tasks::labels_in(config).empty() || tasks::head_in(config) != Head::kSoftmax) return;
  throw CheckpointError({.where = folder.string(),
                         .given = "no labels: config.json has no id2label, so this is an encoder without a head",
                         .expected = "a model that is trained for " + task,
                         .fix = "fine-tune the model first: portatune fit"});
}

struct KnownTask {
  const char* name;
  std::unique_ptr<RowTask> (*make)(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes);
  std::vector<std::string> classes;  // endings of its class names in transformers
};
const KnownTask kTasks[] = {
    {"text-classification", text_classification, {"ForSequenceClassification"}},
    {"token-classification", token_classification, {"ForTokenClassification"}},
    {"question-answering", question_answering, {"ForQuestionAnswering"}},
    {"multiple-choice", multiple_choice, {"ForMultipleChoice"}},
    {"masked-lm", masked_lm, {"ForMaskedLM", "BertForPreTraining", "AlbertForPreTraining"}},
    {"causal-lm", causal_lm, {"ForCausalLM", "LMHeadModel"}},
    {"image-classification", image_classification, {"ForImageClassification", "ForImageClassificationWithTeacher"}}};

// The task of the model's class; text classification for a model without a head, whose error names what is missing.
std::string task_of(const std::filesystem::path& folder) {
  for (const std::string& architecture : hub::read_config(folder).get_strings("architectures")) {
    for (const KnownTask& task : kTasks) {
      const auto is_end = [&](const std::string& end) { return architecture.ends_with(end); };
      if (std::ranges::any_of(task.classes, is_end)) return task.name;
    }
    for (const auto& [name, task] : added_tasks()) {
      if (task.architecture == architecture) return name;
    }
  }
  return kTasks[0].name;
}

std::unique_ptr<RowTask> with_lengths(std::unique_ptr<RowTask> task, const std::vector<int64_t>& lengths) {
  if (!lengths.empty()) task->set_lengths(lengths);
  return task;
}

const KnownTask& task_called(const std::string& name) {
  const auto* found = std::ranges::find(kTasks, name, &KnownTask::name);
  if (found != std::end(kTasks)) return *found;
  throw UsageError({.where = "task", .given = "\"" + name + "\"", .fix = "see portatune fit --help"});
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const KnownTask& task : kTasks) names.emplace_back(task.name);
  for (const auto& [name, make] : added_tasks()) names.push_back(name);
  return names;
}

std::unique_ptr<RowTask> make_task(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes) {
  const std::string name = model.task.empty() ? task_of(folder) : model.task;
  require_options_of(name, model.given);
  if (const auto added = added_tasks().find(name); added != added_tasks().end()) {
    return with_lengths(added->second.make({.model = folder,
                                            .files = files,
                                            .table = model.table,
                                            .training = classes == Classes::kOfRows,
                                            .max_length = model.options.max_length,
                                            .options = TaskOptions(model.options_of_task)}),
                        model.lengths);
  }
  if (!model.options_of_task.empty()) {
    throw UsageError({.where = "option",
                      .given = model.options_of_task.begin()->first,
                      .expected = "none, as --task " + name + " has options of their own names"});
  }
  const KnownTask& task = task_called(name);
  if (classes == Classes::kOfModel) require_classifier(name, model, folder);
  return with_lengths(task.make(model, folder, files, classes), model.lengths);
}

data::TableOptions table_options(const ModelOptions& model, std::vector<std::string> columns) {
  data::TableOptions options = model.table;
  options.columns = std::move(columns);
  return options;
}

data::Dataset read_rows(const ModelOptions& model, const std::vector<std::string>& files, const RowTask& task,
                        RowTask::Labels labels) {
  return task.read(files, labels, model.table).named("read");
}

}  // namespace portatune::run
