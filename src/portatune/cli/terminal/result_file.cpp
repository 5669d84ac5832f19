#include "portatune/cli/terminal/result_file.h"

#include <vector>

#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"
#include "portatune/run/output/output_error.h"
#include "portatune/run/output/output_folder.h"

namespace portatune::cli {

ResultFile::ResultFile(std::filesystem::path path, const std::vector<std::string>& inputs) : path_(std::move(path)) {
  if (path_ == "-") return;
  run::require_no_input(path_, inputs);
  if (std::filesystem::is_directory(path_)) {
    throw run::OutputError({.where = "--output " + path_.string(), .given = "a folder", .expected = "a file"});
  }
  if (const auto folder = path_.parent_path(); !folder.empty() && !std::filesystem::exists(folder)) {
    throw NotFoundError({.where = "--output " + path_.string(), .given = "no folder " + folder.string()});
  }
  // A device or a pipe is written to directly: a file must not replace it.
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_)) {
    stream_.emplace(path_);
    return;
  }
  remove_leftovers({&path_, 1});
  file_.emplace(path_);
}

void ResultFile::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else if (stream_) {
    stream_->append(text);
  } else {
    print_result(text);
  }
}

void ResultFile::finish() {
  if (file_) file_->commit();
}

void ResultFile::finish_together(std::deque<ResultFile>& files) {
  std::vector<AtomicFile*> regular;
  for (ResultFile& file : files) {
    if (!file.file_) continue;
    file.file_->finish();
    regular.push_back(&*file.file_);
  }
  AtomicFile::commit_together(regular);
}

}  // namespace portatune::cli
