#include "portatune/base/shipped_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace portatune {

std::string why_untrusted(const std::filesystem::path& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return {};
  const uid_t user = geteuid();
  if (status.st_uid != user && status.st_uid != 0) {
    return path.string() + " is owned by user " + std::to_string(status.st_uid) + ", who is neither this user (" +
           std::to_string(user) + ") nor root";
  }
  if ((status.st_mode & S_IWOTH) != 0) return path.string() + " is writable by every user";
  return {};
}

std::string command_to_trust(const std::filesystem::path& path) {
  return "chown -R " + std::to_string(geteuid()) + " '" + path.string() + "' && chmod -R o-w '" + path.string() + "'";
}

namespace fs = std::filesystem;

std::vector<fs::path> shipped_places(const fs::path& name, std::string_view installed_in) {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (none) return {};
  const fs::path folder = program.parent_path();
  return {folder / name, folder.parent_path() / installed_in / name};
}

}  // namespace portatune
