#include "portatune/io/atomic_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/output_file.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

// Folders beside the target. Only staging folders may ever be deleted; one that was moved aside may be the only whole
// copy for a moment.
constexpr std::string_view kStagingPrefix = kTemporaryPrefix;
constexpr std::string_view kAsidePrefix = "old.";
constexpr size_t kIdDigits = 16;

bool is_sibling_name(std::string_view name, const fs::path& target, std::string_view prefix) {
  const std::string start = std::string(prefix) + target.filename().string() + ".";
  if (!name.starts_with(start) || name.size() != start.size() + kIdDigits) return false;
  const std::string_view id = name.substr(start.size());
  return id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "out/" and "out" are one target, a link to a folder stands for that folder, and a later chdir changes nothing.
fs::path normalised(const fs::path& path) {
  fs::path target = fs::absolute(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  if (fs::is_symlink(fs::symlink_status(target))) target = fs::weakly_canonical(target);
  if (target.has_filename()) return target;
  throw UsageError({.where = "folder to write", .given = path.string(), .expected = "a path that ends in a name"});
}

FileDescriptor open_folder(const fs::path& folder) {
  return FileDescriptor::open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

// Locks end with the process, however it ends. Where the file system has none, nobody can tell that a run is dead.
bool try_lock(const FileDescriptor& folder) { return flock(folder.number(), LOCK_EX | LOCK_NB) == 0; }
bool is_held_by_another(const FileDescriptor& folder) { return !try_lock(folder) && errno == EWOULDBLOCK; }

bool is_removed(const FileDescriptor& folder) {
  struct stat status;
  return fstat(folder.number(), &status) != 0 || status.st_nlink == 0;
}

void sync(const fs::path& path, int flags) {
  const FileDescriptor file = FileDescriptor::open(path, flags | O_NOFOLLOW);
  if (fsync(file.number()) != 0) throw_system_error("fsync", path, errno);
}

// Files before the folders that name them, so that a name that survives a power cut has its bytes.
void sync_tree(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) {
      sync_tree(entry.path());
    } else if (entry.is_regular_file()) {
      sync(entry.path(), O_RDONLY);
    }
  }
  sync(folder, O_RDONLY | O_DIRECTORY);
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) throw_system_error("rename " + from.string() + " to", to, errno);
}

bool try_exchange(const fs::path& a, const fs::path& b) {
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS) return false;  // the file system or the kernel cannot
  throw_system_error("exchange " + a.string() + " with", b, errno);
}

void remove_tree(const fs::path& folder) noexcept {
  std::error_code ignored;  // what stays is a staging folder, and recover_directory will try again
  fs::remove_all(folder, ignored);
}

// Moves the folder `target` aside and `staging` in its place; returns where the old one is now.
fs::path replace_in_two_steps(const fs::path& staging, const fs::path& target) {
  fs::path aside = unique_sibling(target, kAsidePrefix);
  rename_folder(target, aside);
  try {
    rename_folder(staging, target);
  } catch (...) {
    rename(aside.c_str(), target.c_str());
    throw;
  }
  return aside;
}

// Renames `staging` to `target`; returns where the folder that was there is now, if there was one.
std::optional<fs::path> put_in_place(const fs::path& staging, const fs::path& target) {
  if (rename(staging.c_str(), target.c_str()) == 0) return std::nullopt;  // nothing there, or an empty folder
  if (errno != ENOTEMPTY && errno != EEXIST) throw_system_error("rename " + staging.string() + " to", target, errno);
  if (try_exchange(staging, target)) return staging;
  return replace_in_two_steps(staging, target);
}

// Whoever has a file of it open for writing goes on writing to the file that is seen.
void link_or_copy(const fs::path& from, const fs::path& to) {
  constexpr auto kAll = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  std::error_code error;
  fs::copy(from, to, kAll | fs::copy_options::create_hard_links, error);
  if (!error) return;
  fs::remove_all(to, error);
  fs::copy(from, to, kAll, error);
  if (error) throw_system_error("keep " + from.string() + " as", to, error.value());
}

void keep_entry(const fs::directory_entry& entry, const fs::path& place) {
  link_or_copy(entry.path(), place);
  if (entry.is_symlink()) return;
  if (entry.is_directory()) sync_tree(place);
  if (entry.is_regular_file()) sync(place, O_RDONLY);
}

// So that they are in the new folder at once. What can be neither linked nor copied (a FIFO, a file of another user,
// one that vanishes meanwhile) is left to move_entries().
void keep_entries(const fs::path& old, const fs::path& staging, const EntryTest& keep) {
  for (const fs::directory_entry& entry : fs::directory_iterator(old)) {
    const fs::path place = staging / entry.path().filename();
    if (fs::exists(fs::symlink_status(place)) || !keep(entry)) continue;
    try {
      keep_entry(entry, place);
    } catch (const std::exception&) {
      std::error_code ignored;
      fs::remove_all(place, ignored);
    }
  }
  sync(staging, O_RDONLY | O_DIRECTORY);
}

// Those that have come since, too. Returns whether all could be moved.
bool move_entries(const fs::path& old, const fs::path& target, const EntryTest& keep) {
  bool all = true;
  for (const fs::directory_entry& entry : fs::directory_iterator(old)) {
    const fs::path place = target / entry.path().filename();
    if (fs::exists(fs::symlink_status(place)) || !keep(entry)) continue;
    all = all && rename(entry.path().c_str(), place.c_str()) == 0;
  }
  return all;
}

// Our folders beside `target`, the newest first.
std::vector<fs::path> siblings(const fs::path& target, std::string_view prefix) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(target.parent_path(), absent)) {
    if (!is_sibling_name(entry.path().filename().string(), target, prefix)) continue;
    struct stat status;
    if (lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) continue;
    found.emplace_back(fs::last_write_time(entry.path(), absent), entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

// The lock on a folder that was just made; nothing if a process that cleans up was quicker.
std::optional<FileDescriptor> lock_of_new(const fs::path& folder) {
  try {
    FileDescriptor file = open_folder(folder);
    if (!is_held_by_another(file) && !is_removed(file)) return file;
  } catch (const NotFoundError&) {
  }
  return std::nullopt;
}

std::optional<FileDescriptor> open_if_there(const fs::path& folder) {
  const int number = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return number < 0 ? std::nullopt : std::optional(FileDescriptor(number));
}

// The lock on a folder, if there is such a folder and no live process holds it; one that held it may have removed the
// folder before it let go.
std::optional<FileDescriptor> try_lock(const fs::path& folder) {
  std::optional<FileDescriptor> file = open_if_there(folder);
  if (file && (!try_lock(*file) || is_removed(*file))) file.reset();
  return file;
}

// The same after at most a second: who cleans up may hold the lock of a folder that it has found under an older name,
// and lets go of it at once.
std::optional<FileDescriptor> wait_for_lock(const fs::path& folder) {
  std::optional<FileDescriptor> file = open_if_there(folder);
  for (int tries = 0; file && is_held_by_another(*file); ++tries) {
    if (tries == 100) return std::nullopt;
    usleep(10'000);
  }
  return file;
}

}  // namespace

AtomicDirectory::AtomicDirectory(fs::path target) : target_(normalised(std::move(target))) {
  const fs::file_status status = fs::symlink_status(target_);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError({.where = target_.string(), .given = "not a folder", .expected = "a folder, or nothing yet"});
  }
  std::error_code error;
  fs::create_directories(target_.parent_path(), error);
  if (error) throw_system_error("create", target_.parent_path(), error.value());
  std::optional<FileDescriptor> lock;
  while (!lock) {
    staging_ = unique_sibling(target_, kStagingPrefix);
    if (mkdir(staging_.c_str(), 0777) != 0) throw_system_error("create", staging_, errno);
    lock = lock_of_new(staging_);
  }
  lock_ = std::move(*lock);
}

AtomicDirectory::~AtomicDirectory() {
  if (!committed_) remove_tree(staging_);
}

void AtomicDirectory::commit(const EntryTest& keep) {
  sync_tree(staging_);
  if (keep && fs::is_directory(target_)) keep_entries(target_, staging_, keep);
  // Held until the old folder is removed: meanwhile nobody shall take it for one that a dead run moved aside.
  const std::optional<FileDescriptor> old_lock = wait_for_lock(target_);
  const std::optional<fs::path> old = put_in_place(staging_, target_);
  committed_ = true;
  sync(target_.parent_path(), O_RDONLY | O_DIRECTORY);
  if (old && (!keep || move_entries(*old, target_, keep))) remove_tree(*old);
}

void require_not_working_folder(const fs::path& folder) {
  if (!fs::exists(folder) || !fs::equivalent(folder, fs::current_path())) return;
  throw UsageError({.where = folder.string(),
                    .given = "the working folder, which would be replaced under your feet",
                    .expected = "another folder"});
}

void require_nothing_else(const fs::path& folder, const EntryTest& is_own, const std::string& what) {
  require_not_working_folder(folder);
  if (!fs::is_directory(folder)) return;  // what is no folder is refused by AtomicDirectory
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_own(entry)) continue;
    throw UsageError({.where = folder.string(),
                      .given = "a folder with \"" + entry.path().filename().string() + "\" in it, which would be lost",
                      .expected = "a new folder, or one with nothing but " + what,
                      .fix = "choose another folder"});
  }
}

fs::path staging_of(const fs::path& target, const std::string& name) { return normalised(target).parent_path() / name; }

void remove_directory(const fs::path& path) {
  const fs::path target = normalised(path);
  const fs::path doomed = unique_sibling(target, kStagingPrefix);
  rename_folder(target, doomed);
  remove_tree(doomed);
}

Recovery recover_directory(const fs::path& path) {
  const fs::path target = normalised(path);
  Recovery recovery;
  const auto remove = [&](const fs::path& folder) {
    remove_tree(folder);
    recovery.removed.push_back(folder);
  };
  for (const fs::path& aside : siblings(target, kAsidePrefix)) {
    const auto lock = try_lock(aside);
    if (!lock) continue;
    if (fs::exists(target)) {
      remove(aside);
      continue;
    }
    rename_folder(aside, target);
    sync(target.parent_path(), O_RDONLY | O_DIRECTORY);
    recovery.restored = true;
  }
  for (const fs::path& staging : siblings(target, kStagingPrefix)) {
    if (const auto lock = try_lock(staging)) remove(staging);
  }
  return recovery;
}

}  // namespace portatune::io
