#include "portatune/cli/terminal/result_file.h"

#include <cerrno>
#include <vector>

#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"
#include "portatune/run/output/output_error.h"

namespace portatune::cli {

ResultFile::ResultFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_ == "-") return;
  if (std::filesystem::is_directory(path_)) {
    throw run::OutputError({.where = "--output " + path_.string(), .given = "a folder", .expected = "a file"});
  }
  if (const auto folder = path_.parent_path(); !folder.empty() && !std::filesystem::exists(folder)) {
    throw NotFoundError({.where = "--output " + path_.string(), .given = "no folder " + folder.string()});
  }
  // A device or a pipe is written to directly: a file must not replace it.
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_)) {
    stream_.open(path_);
    if (!stream_) throw_system_error("open", path_, errno);
    return;
  }
  remove_leftovers({&path_, 1});
  file_.emplace(path_);
}

void ResultFile::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else if (stream_.is_open()) {
    stream_ << text;
  } else {
    print_result(text);
  }
}

void ResultFile::finish() {
  flush();
  if (file_) file_->commit();
}

void ResultFile::finish_together(std::deque<ResultFile>& files) {
  std::vector<AtomicFile*> regular;
  for (ResultFile& file : files) {
    file.flush();
    if (!file.file_) continue;
    file.file_->finish();
    regular.push_back(&*file.file_);
  }
  AtomicFile::commit_together(regular);
}

void ResultFile::flush() {
  if (stream_.is_open() && !stream_.flush()) throw_system_error("write", path_, errno);
}

}  // namespace portatune::cli
