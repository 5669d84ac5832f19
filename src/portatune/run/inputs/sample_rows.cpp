#include "portatune/run/inputs/sample_rows.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/run/inputs/added_tasks.h"
#include "portatune/tasks/objectives/heads.h"
#include "portatune/tasks/rows/label_names.h"

namespace portatune::run {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

constexpr const char* kText = "a";
// An image of one black pixel.
constexpr std::string_view kPng =
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\2\0\0\0\x90wS\xde\0\0\0\fIDATx\xda"
    "c```\0\0\0\4\0\1\xc8\xea\xeb\xf9\0\0\0\0IEND\xae"
    "B`\x82"sv;

void set_label(data::Example& row, const ModelOptions& model, const TextClassification& task) {
  const TextClassificationOptions& options = model.options;
  for (const std::string& column : options.label_columns) row.set(column, "0");
  if (options.label_columns.empty()) {
    row.set(options.label_column, task.head() == Head::kRegression ? "0" : task.labels().front());
  }
}

std::string conversation() {
  const json user = {{"role", "user"}, {"content", kText}}, assistant = {{"role", "assistant"}, {"content", kText}};
  return json::array({user, assistant}).dump();
}

// A text with this number of tokens, since a block must be full.
std::string text_of_tokens(int64_t tokens) {
  std::string text;
  for (int64_t i = 0; i < tokens; ++i) text += "a ";
  return text;
}

// Sets the columns that are no plain texts.
void set_columns(data::Example& row, const ModelOptions& model, const RowTask& task) {
  const auto set = [&](const std::string& column, const std::string& value) {
    if (row.has(column)) row.set(column, value);
  };
  if (const auto* texts = dynamic_cast<const TextClassification*>(&task)) {
    set_label(row, model, *texts);
  } else if (const auto* tokens = dynamic_cast<const TokenClassification*>(&task)) {
    set(model.tokens_column, json::array({kText}).dump());
    set(model.tags_column, json::array({tokens->labels().front()}).dump());
  } else if (const auto* images = dynamic_cast<const ImageClassification*>(&task)) {
    set(model.images.image_column, std::string(kPng));
    set(model.options.label_column, images->labels().front());
  } else if (model.task == "question-answering") {
    set("answers", R"({"text": [], "answer_start": []})");
  } else if (model.task == "multiple-choice") {
    set(model.options.label_column, "0");
    set(model.multiple_choice.endings_column, json::array({kText, kText}).dump());
  } else if (model.task == "causal-lm") {
    set(model.options.text_column, text_of_tokens(4 * model.options.max_length));
    set(model.instructions.messages_column, conversation());
  }
}

}  // namespace

ModelOptions without_rows(ModelOptions model, Events& events) {
  if (added_tasks().contains(model.task)) {
    throw UsageError(
        {.where = "train",
         .given = "no rows",
         .expected = "rows to train on, as the batches of --task " + model.task + " are not known without them"});
  }
  TextClassificationOptions& options = model.options;
  const io::JsonObject config = hub::read_config(model.folder);
  const bool has_names = !options.labels.empty() || tasks::labels_in(config).size() > 1;
  const bool has_classes = model.task.ends_with("classification") && options.label_columns.empty() &&
                           options.head.value_or(tasks::head_in(config)) != Head::kRegression;
  if (!options.label_columns.empty()) options.labels = options.label_columns;
  if (has_names || !has_classes) return model;
  events.notice("no --train, and config.json names no classes: the plan is for 2 classes (--labels names others)");
  options.labels = {"0", "1"};
  return model;
}

data::Dataset sample_rows(const ModelOptions& model, const RowTask& task) {
  data::Example row;
  for (const std::string& column : task.columns(RowTask::Labels::kRequired)) row.set(column, kText);
  set_columns(row, model, task);
  if (!model.masked_lm.next_sentence) return data::from_examples({row});
  // Pairs are made of at least two documents, between which there is a blank row.
  data::Example blank = row;
  blank.set(model.options.text_column, "");
  return data::from_examples({row, row, blank, row, row});
}

}  // namespace portatune::run
