#include "portatune/io/file/keep_entries.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "portatune/base/files/output_file.h"
#include "portatune/base/files/path_name.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

// Syncs the folder and its subfolders. The files are not new.
void sync_folders(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink()) sync_folders(entry.path());
  }
  sync_folder(folder);
}

// Links an entry. A process that has one of its files open for writing keeps writing to the visible file.
void link_entry(const fs::directory_entry& entry, const fs::path& link) {
  constexpr auto kAsLinks =
      fs::copy_options::recursive | fs::copy_options::copy_symlinks | fs::copy_options::create_hard_links;
  fs::copy(entry.path(), link, kAsLinks);
  if (entry.is_directory() && !entry.is_symlink()) sync_folders(link);
}

bool is_newer(const struct stat& a, const struct stat& b) {
  return std::pair(a.st_ctim.tv_sec, a.st_ctim.tv_nsec) > std::pair(b.st_ctim.tv_sec, b.st_ctim.tv_nsec);
}

void rename_to_free(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  const bool is_supported = errno != EINVAL && errno != ENOSYS;
  if (!is_supported && !entry_exists(to)) rename(from.c_str(), to.c_str());
}

// Moves entries that were created or replaced in `from`, after its entries were linked, to `to`. Of two files the newer
// one stays. Removes `from` if it is empty then.
void merge(const fs::path& from, const fs::path& to) {
  struct stat here, there;
  if (lstat(from.c_str(), &here) != 0) return;
  if (lstat(to.c_str(), &there) != 0) return rename_to_free(from, to);
  if (!S_ISDIR(here.st_mode) || !S_ISDIR(there.st_mode)) {
    const bool is_same = here.st_ino == there.st_ino && here.st_dev == there.st_dev;
    is_same || !is_newer(here, there) ? unlink(from.c_str()) : rename(from.c_str(), to.c_str());
    return;
  }
  std::error_code gone;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, gone)) {
    merge(entry.path(), to / entry.path().filename());
  }
  rmdir(from.c_str());
}

}  // namespace

void remove_links(const std::vector<fs::path>& links) {
  std::error_code ignored;
  for (const fs::path& link : links) fs::remove_all(link, ignored);
}

std::optional<std::vector<fs::path>> link_kept(const fs::path& old, const fs::path& staging, const EntryTest& keep) {
  std::vector<fs::path> links;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(old)) {
      const fs::path link = staging / entry.path().filename();
      if (entry_exists(link) || !keep(entry)) continue;
      links.push_back(link);
      link_entry(entry, link);
    }
    sync_folder(staging);
    return links;
  } catch (const std::exception&) {
    remove_links(links);
    return std::nullopt;
  }
}

bool move_kept(const fs::path& old, const fs::path& target, const EntryTest& keep,
               const std::set<std::string>& written) {
  constexpr int kAttempts = 100;  // other processes may write to the folder meanwhile
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::error_code gone;
    for (const fs::directory_entry& entry : fs::directory_iterator(old, gone)) {
      const fs::path name = entry.path().filename();
      if (written.contains(name) || !keep(entry)) {
        fs::remove_all(entry.path(), gone);
      } else {
        merge(entry.path(), target / name);
      }
    }
    if (rmdir(old.c_str()) == 0) return true;
  }
  return false;
}

}  // namespace portatune::io
