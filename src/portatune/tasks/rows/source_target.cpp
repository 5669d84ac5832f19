#include "portatune/tasks/rows/source_target.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/tasks/rows/first_row.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/tasks/task_spec.h"

namespace portatune::tasks {
namespace {

// The first column other than `used`; empty if there is none.
std::string first_column(const data::Example& row, const std::string& used) {
  const auto found = std::ranges::find_if(row.columns(), [&](const auto& column) { return column.name != used; });
  return found == row.columns().end() ? "" : found->name;
}

// The text of a language in an object such as {"en": "Hello", "ro": "Salut"}. A language such as en_XX may have the key
// "en", as in transformers' run_translation.py.
std::string text_in(const data::Example& row, const TextToTextOptions& options, const std::string& language) {
  const nlohmann::json texts = json_in(row, options.text_column);
  std::string key = language;
  if (!texts.contains(key)) key.resize(std::min(key.find('_'), key.size()));
  const auto text = texts.is_object() ? texts.find(key) : texts.end();
  if (text == texts.end() || !text->is_string()) {
    throw bad_column(row, options.text_column,
                     "an object with a text for \"" + language + "\"" + (key == language ? "" : " or \"" + key + "\""));
  }
  return not_blank(row, options.text_column, text->get<std::string>());
}

}  // namespace

std::string not_blank(const data::Example& row, std::string_view column, std::string text) {
  if (!stripped(text).empty()) return text;
  throw DataError({.where = to_string(row.origin()),
                   .given = "an empty text in column \"" + std::string(column) + "\"",
                   .expected = "a text",
                   .fix = "remove the row, or let the run skip such rows: --bad-rows skip:N"});
}

bool has_texts_of_languages(const TextToTextOptions& options) {
  return !options.source_lang.empty() && options.target_column.empty();
}

void choose_columns(const TaskContext& context, TextToTextOptions& options) {
  if (has_texts_of_languages(options)) {
    if (options.text_column.empty()) options.text_column = "translation";
    return;
  }
  if (!options.text_column.empty() && !options.target_column.empty()) return;
  const std::optional<data::Example> row = context.files.empty() ? data::Example().set("text", "").set("target", "")
                                                                 : first_row(context.files, context.table);
  if (!row) return;
  if (options.text_column.empty()) options.text_column = first_column(*row, options.target_column);
  if (options.target_column.empty()) options.target_column = first_column(*row, options.text_column);
}

std::vector<std::string> columns_of(const TextToTextOptions& options, RowTask::Labels labels) {
  if (has_texts_of_languages(options) || labels == RowTask::Labels::kIgnored) return {options.text_column};
  if (!options.target_column.empty()) return {options.text_column, options.target_column};
  throw UsageError({.where = "target_column",
                    .given = "files with the one column \"" + options.text_column + "\"",
                    .expected = "a column of source texts and a column of target texts"});
}

SourceTarget source_target_of(const data::Example& row, const TextToTextOptions& options, RowTask::Labels labels) {
  const bool has_target = labels == RowTask::Labels::kRequired;
  if (has_texts_of_languages(options)) {
    return {.source = text_in(row, options, options.source_lang),
            .target = has_target ? text_in(row, options, options.target_lang) : ""};
  }
  const auto text = [&](const std::string& column) { return not_blank(row, column, row.text(column)); };
  return {.source = text(options.text_column), .target = has_target ? text(options.target_column) : ""};
}

}  // namespace portatune::tasks
