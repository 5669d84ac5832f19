// Results and remarks as text; run/records/result_json.h has their JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/cli/terminal/reporting.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/run/records/result_json.h"

namespace portatune::cli {

/// Writes to stderr, without the secrets of URLs. A failure, as on a full disk, is ignored, because no result depends
/// on these messages.
void print_message(std::string_view text) noexcept;

/// Writes a line that may contain text from files to stderr: made printable(), and otherwise like print_message().
void print_message_line(std::string_view line);

/// Writes a remark to stderr, unless quiet.
void print_remark(const Reporting& reporting, const std::string& line);

/// The error that stdout is a pipe without a reader.
struct ReaderLeft : IoError {
  using IoError::IoError;
};
/// Writes a result to stdout.
/// errors  ReaderLeft; IoError for other failures, such as a full disk
void print_result(std::string_view text);
/// Writes a summary of results in files to stdout. A failure is ignored, because the files are complete.
void print_summary(std::string_view text) noexcept;

using io::line_of;

/// "loss 0.4123, accuracy 0.8312, AUC 0.9050".
std::string describe(const Scores& scores);

/// The result of one evaluation; of several, a line for each.
std::string table_of(const std::vector<run::NamedEvaluation>& evaluations);
std::string table_of(const run::Outcome& outcome);
std::string table_of(const run::FoldOutcome& outcome);

}  // namespace portatune::cli
