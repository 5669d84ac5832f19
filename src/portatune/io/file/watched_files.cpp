#include "portatune/io/file/watched_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "portatune/io/checksum/content_hash.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

}  // namespace

WatchedFiles::WatchedFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      add(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink)) {
      add(entry.path().string());
    }
  }
}

void WatchedFiles::add(const std::string& path) {
  const FileStamp stamp = FileStamp::of(path);
  if (stamp.bytes >= 0) files_.push_back({path, stamp});
}

std::string WatchedFiles::content_hash(const std::vector<std::string>& files) {
  const std::lock_guard lock(mutex_);
  hash_ = io::content_hash(files);
  hashed_ = files;
  return hash_;
}

std::optional<FileChange> WatchedFiles::first_change() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<Watched*, FileStamp>> touched;  // hashed files with a new time or inode but the same size
  for (Watched& file : files_) {
    const FileStamp now = FileStamp::of(file.path);
    if (now == file.stamp) continue;
    const bool is_hashed = std::ranges::find(hashed_, file.path) != hashed_.end();
    if (!is_hashed || now.bytes != file.stamp.bytes) return FileChange{file.path, describe_change(file.stamp, now)};
    touched.emplace_back(&file, now);
  }
  if (touched.empty()) return std::nullopt;
  if (io::content_hash(hashed_) != hash_) {
    const auto& [file, now] = touched.front();
    return FileChange{file->path, describe_change(file->stamp, now)};
  }
  for (const auto& [file, now] : touched) file->stamp = now;
  return std::nullopt;
}

}  // namespace portatune::io
