#include "portatune/base/files/path_name.h"

namespace portatune {

std::string last_part_of(const std::filesystem::path& path) {
  if (path.empty()) return {};
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

bool begins_with_home(std::string_view path) { return path == "~" || path.starts_with("~/"); }

bool entry_exists(const std::filesystem::path& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

}  // namespace portatune
