// Rows with a source text and its target.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/tasks/text_to_text.h"

namespace portatune {
struct TaskContext;
}

namespace portatune::tasks {

/// Sets the columns that the options leave open, from those of the files: the source is in the first column, the target
/// in the second. Without files they are "text" and "target".
void choose_columns(const TaskContext& context, TextToTextOptions& options);

/// Returns whether a column has an object with the texts of both languages.
bool has_texts_of_languages(const TextToTextOptions& options);

/// The columns that rows must have.
/// errors  UsageError for labels without a column for the target
std::vector<std::string> columns_of(const TextToTextOptions& options, RowTask::Labels labels);

/// The text of a column.
/// errors  DataError that names the row for a text that is missing or blank
std::string not_blank(const data::Example& row, std::string_view column, std::string text);

/// The texts of a row.
struct SourceTarget {
  std::string source;  ///< without TextToTextOptions::source_prefix
  std::string target;  ///< empty if labels are ignored
};
/// errors  DataError that names the row for a text that is missing or blank
SourceTarget source_target_of(const data::Example& row, const TextToTextOptions& options, RowTask::Labels labels);

}  // namespace portatune::tasks
