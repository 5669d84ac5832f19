#include "portatune/base/files/shipped_files.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "portatune/base/text/shell_word.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

// The file with this code, with symbolic links resolved: a program, or a shared library such as a Python module. Empty
// if the system does not report it.
fs::path file_of_this_code() {
  std::error_code none;
  Dl_info info;
  link_map* object = nullptr;
  const bool is_found = dladdr1(reinterpret_cast<const void*>(&file_of_this_code), &info,
                                reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  const bool is_library = is_found && object->l_name[0] != '\0';  // the program itself has no name there
  return is_library ? fs::canonical(object->l_name, none) : fs::read_symlink("/proc/self/exe", none);
}

}  // namespace

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
  const std::string word = shell_word(path.string());
  return "chown -R " + std::to_string(geteuid()) + " " + word + " && chmod -R o-w " + word;
}

std::vector<fs::path> shipped_places(const fs::path& name, std::string_view installed_in) {
  const fs::path program = file_of_this_code();
  if (program.empty()) return {};
  const fs::path folder = program.parent_path();
  return {folder / name, folder.parent_path() / installed_in / name};
}

}  // namespace portatune
