// How results and remarks are worded.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"

namespace portatune::cli {

/// Writes to stderr, without the secrets of URLs. Where that fails, as on a full disk, nothing happens: what is told
/// there decides about nothing.
void tell(std::string_view text) noexcept;

/// Writes a line that may have text out of files to stderr: printable(), and as above.
void tell_line(std::string_view line);

/// A remark on stderr, unless quiet.
void say(const Talk& talk, const std::string& line);

/// Nobody reads the pipe that stdout is.
struct ReaderLeft : IoError {
  using IoError::IoError;
};
/// Writes a result to stdout.
/// errors  ReaderLeft; IoError for other failures, such as a full disk
void print_result(std::string_view text);
/// Writes to stdout what tells of results in files. Where that fails nothing happens: the files are there.
void print_summary(std::string_view text) noexcept;

using io::line_of;

/// "loss 0.4123, accuracy 0.8312, AUC 0.9050".
std::string describe(const Scores& scores);

/// As transformers does: weights that the model has not. Nothing if there are none.
std::vector<std::string> remarks(const LoadReport& report);
/// Nothing if there are no such keys.
std::vector<std::string> remarks_on_config(const std::vector<std::string>& unknown_keys);

/// How long an evaluation took, the compilation of its programs included.
struct Speed {
  double seconds = 0;
  int64_t examples = 0;

  double examples_per_second() const { return seconds > 0 ? static_cast<double>(examples) / seconds : 0; }
};

/// Scores as JSON; what is not a finite number is null.
/// skipped_rows  bad ones that were passed over, if that was allowed
std::string json_of(const Scores& scores, const Speed& speed, std::optional<int64_t> skipped_rows = std::nullopt);
/// Name and value, a line each.
std::string table_of(const Scores& scores, const Speed& speed, std::optional<int64_t> skipped_rows = std::nullopt);

std::string json_of(const run::Outcome& outcome);
std::string table_of(const run::Outcome& outcome);

std::string json_of(const run::FoldOutcome& outcome);
std::string table_of(const run::FoldOutcome& outcome);

}  // namespace portatune::cli
