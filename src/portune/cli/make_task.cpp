#include "portune/cli/make_task.h"

#include <algorithm>

#include "portune/cli/rows.h"
#include "portune/error.h"
#include "portune/io/json.h"
#include "portune/question_answering.h"
#include "portune/token_classification.h"

namespace portune::cli {
namespace {

// The head that is asked for, or that of the checkpoint.
bool learns_numbers(const TextClassificationOptions& options, const std::filesystem::path& folder) {
  if (options.head) return *options.head == Head::kRegression;
  return io::JsonObject::read(folder / "config.json").get_string_or("problem_type", "") == "regression";
}

std::unique_ptr<RowTask> text_classification(const ModelArguments& model, const std::filesystem::path& folder,
                                             const std::vector<std::string>& files, Classes classes) {
  TextClassificationOptions options = model.options;
  if (classes == Classes::kOfRows && !learns_numbers(options, folder)) {
    // With the other columns, so that one that is missing is told before what it makes of the labels.
    std::vector<std::string> columns = {options.text_column, options.label_column};
    if (!options.text_pair_column.empty()) columns.push_back(options.text_pair_column);
    const data::Dataset rows = data::read_table(files, {.columns = columns});
    options.labels = labels_of(interruptible(rows), options.label_column).labels;
  }
  return std::make_unique<TextClassification>(folder, std::move(options));
}

std::unique_ptr<RowTask> masked_lm(const ModelArguments& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>&, Classes) {
  MaskedLmOptions options = model.masked_lm;
  options.text_column = model.options.text_column;
  options.max_length = model.options.max_length;
  return portune::masked_lm(folder, std::move(options));
}

std::unique_ptr<RowTask> causal_lm(const ModelArguments& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes) {
  return portune::causal_lm(folder, {.text_column = model.options.text_column,
                                     .block_size = model.options.max_length,
                                     .rows_are_lines = std::filesystem::path(files.front()).extension() == ".txt"});
}

std::unique_ptr<RowTask> token_classification(const ModelArguments& model, const std::filesystem::path& folder,
                                              const std::vector<std::string>& files, Classes classes) {
  TokenClassificationOptions options{
      .tokens_column = model.tokens_column, .tags_column = model.tags_column, .max_length = model.options.max_length};
  if (classes == Classes::kOfRows) {
    const data::Dataset rows = read_tagged(files, options.tokens_column, options.tags_column);
    options.labels = tags_of(interruptible(rows), options.tags_column);
  }
  return std::make_unique<TokenClassification>(folder, std::move(options));
}

std::unique_ptr<RowTask> question_answering(const ModelArguments& model, const std::filesystem::path& folder,
                                            const std::vector<std::string>&, Classes) {
  QuestionAnsweringOptions options = model.question_answering;
  options.max_length = model.options.max_length;
  return std::make_unique<QuestionAnswering>(folder, options);
}

std::unique_ptr<RowTask> image_classification(const ModelArguments& model, const std::filesystem::path& folder,
                                              const std::vector<std::string>& files, Classes classes) {
  ImageClassificationOptions options = model.images;
  options.label_column = model.options.label_column;
  if (classes == Classes::kOfRows) {
    const data::Dataset rows = read_images(files, options.image_column, options.label_column);
    options.labels = labels_of(interruptible(rows), "label").labels;
  }
  return std::make_unique<ImageClassification>(folder, std::move(options));
}

struct KnownTask {
  const char* name;
  std::unique_ptr<RowTask> (*make)(const ModelArguments& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes);
};
constexpr KnownTask kTasks[] = {{"text-classification", text_classification},
                                {"token-classification", token_classification},
                                {"question-answering", question_answering},
                                {"masked-lm", masked_lm},
                                {"causal-lm", causal_lm},
                                {"image-classification", image_classification}};

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const KnownTask& task : kTasks) names.emplace_back(task.name);
  return names;
}

std::unique_ptr<RowTask> make_task(const ModelArguments& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes) {
  const auto* found = std::ranges::find(kTasks, model.task, &KnownTask::name);
  if (found == std::end(kTasks)) {
    throw UsageError({.where = "task", .given = "\"" + model.task + "\"", .fix = "see portune fit --help"});
  }
  return found->make(model, folder, files, classes);
}

data::Dataset read_rows(const std::vector<std::string>& files, const RowTask& task, RowTask::Labels labels) {
  return task.read(files, labels);
}

}  // namespace portune::cli
