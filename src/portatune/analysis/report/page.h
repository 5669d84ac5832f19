// The page of one run or several.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace portatune::report {

/// Name of the page in the output folder of a run.
inline constexpr const char* kPageFile = "report.html";

/// A table at the top of the page, such as the configurations of a sweep.
struct PageTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  ///< Each with a cell for each column of the head.
};

/// A page in HTML that shows the logs and settings of runs side by side. Everything is in the one text: style, script
/// and data. Reads metrics.jsonl and, where they are present, evaluations.jsonl, training_args.json, trainer_state.json
/// and report.json, and looks for checkpoints.
/// folders  output folders of runs; that of a cross-validation or a sweep adds the runs inside
/// table    null: none
/// errors   NotFoundError for a folder without metrics.jsonl in it or in a folder inside; DataError and CheckpointError
///          with the file for content that cannot be read; IoError
std::string page_of(std::span<const std::filesystem::path> folders, const PageTable* table = nullptr);

}  // namespace portatune::report
