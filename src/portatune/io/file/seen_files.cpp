#include "portatune/io/file/seen_files.h"

#include <functional>

namespace portatune::io {

void SeenFiles::see(const std::string& path) {
  const FileStamp now = FileStamp::of(path);
  const std::lock_guard lock(mutex_);
  const auto [seen, is_new] = stamps_.try_emplace(std::hash<std::string>()(path), now);
  if (is_new || seen->second == now || first_change_) return;
  first_change_ = {path, describe_change(seen->second, now)};
}

std::optional<FileChange> SeenFiles::first_change() const {
  const std::lock_guard lock(mutex_);
  return first_change_;
}

}  // namespace portatune::io
