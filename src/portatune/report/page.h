// The page of one run or several.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace portatune::report {

/// Name of the page in the output folder of a run.
inline constexpr const char* kPageFile = "report.html";

/// A page in HTML that shows the logs and settings of runs side by side. Everything is in the one text: style, script
/// and data. Reads metrics.jsonl and, where they are present, training_args.json and report.json.
/// folders  output folders of runs
/// errors   NotFoundError for a folder without metrics.jsonl; DataError and CheckpointError with the file for content
///          that cannot be read; IoError
std::string page_of(std::span<const std::filesystem::path> folders);

}  // namespace portatune::report
