#include "portatune/io/file/atomic_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/files/output_file.h"
#include "portatune/base/files/path_name.h"
#include "portatune/base/files/replace_entries.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

// Prefix of staging folders. Only staging folders may be deleted: a folder that was set aside may be the only complete
// copy for a moment.
constexpr std::string_view kStagingPrefix = kTemporaryPrefix;
// Prefix of an old folder with entries that could not be moved to the new one. Portatune never deletes it.
constexpr std::string_view kRestPrefix = "rest.";
// Mode bit of such a folder if it cannot get that prefix. Folders of one user have no use for this bit.
constexpr mode_t kRestBit = S_ISVTX;
// The file that makes a folder a model. An entry-by-entry replacement removes it first and adds it last.
constexpr const char* kOpensFolder = "config.json";

// Maps "out/" and "out" to one target and a link to its folder. The result does not depend on a later chdir.
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

void sync_file(const fs::path& path) {
  const FileDescriptor file = FileDescriptor::open(path, O_RDONLY | O_NOFOLLOW);
  if (fsync(file.number()) != 0) throw_system_error("fsync", path, errno);
}

// Syncs files before the folders that name them, so that a name that survives a power cut has its bytes.
void sync_tree(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) {
      sync_tree(entry.path());
    } else if (entry.is_regular_file()) {
      sync_file(entry.path());
    }
  }
  sync_folder(folder);
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) throw_system_error("rename " + from.string() + " to", to, errno);
}

bool try_exchange(const fs::path& a, const fs::path& b) {
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS) return false;  // not supported by the file system or the kernel
  throw_system_error("exchange " + a.string() + " with", b, errno);
}

void remove_tree(const fs::path& folder) noexcept {
  std::error_code ignored;  // recover_directory removes the rest of a staging folder
  fs::remove_all(folder, ignored);
}

// Sets the folder `target` aside and moves `staging` to its path. Returns the new path of the old folder.
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

// Renames `staging` to `target`. Returns the new path of the old folder, if there was one.
std::optional<fs::path> put_in_place(const fs::path& staging, const fs::path& target) {
  if (rename(staging.c_str(), target.c_str()) == 0) return std::nullopt;  // the target was absent or an empty folder
  if (errno != ENOTEMPTY && errno != EEXIST) throw_system_error("rename " + staging.string() + " to", target, errno);
  if (try_exchange(staging, target)) return staging;
  return replace_in_two_steps(staging, target);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// Returns whether a folder or file is the root of a mounted file system or of a bind mount.
bool is_mount_point(const fs::path& path) {
  struct stat folder;
  struct statx entry;
  if (stat(path.parent_path().c_str(), &folder) != 0) return false;
  if (statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &entry) != 0)
    return false;
  const bool is_on_same = makedev(entry.stx_dev_major, entry.stx_dev_minor) == folder.st_dev;
  if (S_ISDIR(entry.stx_mode) && !is_on_same) return true;
  return (entry.stx_attributes_mask & entry.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool has_mount_points(const fs::path& folder) {
  return std::ranges::any_of(fs::directory_iterator(folder),
                             [](const fs::directory_entry& entry) { return is_mount_point(entry.path()); });
}

// Returns whether an error means that a folder cannot be moved although its entries can.
bool is_immovable(int error_number) {
  constexpr std::array kErrors = {EBUSY, EXDEV, EACCES, EPERM, EROFS};
  return std::ranges::find(kErrors, error_number) != kErrors.end();
}

// The base name of staging folders inside the target.
fs::path inner(const fs::path& target) { return target / target.filename(); }

// Returns the prefix of a folder that is named for `target`: kRestPrefix if it has kRestBit, and an empty text for any
// other folder.
std::string_view prefix_of(const std::string& name, const fs::path& target, mode_t mode) {
  for (const std::string_view prefix : {kStagingPrefix, kAsidePrefix, kRestPrefix}) {
    if (is_unique_sibling(name, target.filename().native(), prefix)) return mode & kRestBit ? kRestPrefix : prefix;
  }
  return {};
}

// Folders of this user that are named for `target`, next to it, newest first.
std::vector<fs::path> siblings(const fs::path& target, std::string_view prefix) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(target.parent_path(), absent)) {
    struct stat status;
    if (lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) continue;
    if (prefix_of(entry.path().filename(), target, status.st_mode) != prefix) continue;
    found.emplace_back(fs::last_write_time(entry.path(), absent), entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

// Keeps recover_directory() from removing an old folder with entries that belong in the new one.
void keep_rest(const fs::path& old, const fs::path& target) {
  if (rename(old.c_str(), unique_sibling(target, kRestPrefix).c_str()) == 0) return sync_folder(target.parent_path());
  const FileDescriptor folder = open_folder(old);
  struct stat status;
  const bool is_marked = fstat(folder.number(), &status) == 0 &&
                         fchmod(folder.number(), (status.st_mode & 07777) | kRestBit) == 0 &&
                         fsync(folder.number()) == 0;
  if (is_marked) return;
  const int error_number = errno;
  throw IoError({.where = old.string(),
                 .given = "entries of " + target.string() + " that could not be kept there: " +
                          std::strerror(error_number) + " (errno " + std::to_string(error_number) + ")",
                 .expected = "a folder that can be renamed, or marked with the sticky bit",
                 .fix = "move the entries that you need now, because the next start removes this folder"},
                error_number);
}

// Returns whether a folder already has the bit that marks rests.
bool has_rest_bit(const fs::path& folder) {
  struct stat status;
  return lstat(folder.c_str(), &status) == 0 && (status.st_mode & kRestBit) != 0;
}

// Locks a newly created folder. Returns nothing if another process that cleans up was faster.
std::optional<FileDescriptor> lock_of_new(const fs::path& folder) {
  try {
    FileDescriptor file = open_folder(folder);
    if (try_lock(file) != FileLock::kHeldByAnother && !is_removed(file, folder)) return file;
  } catch (const NotFoundError&) {
  }
  return std::nullopt;
}

// Locks a folder if it exists, waiting at most a second: a process that cleans up may briefly hold the lock of a folder
// that it found under an older name.
std::optional<FileDescriptor> wait_for_lock(const fs::path& folder) {
  const int number = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (number < 0) return std::nullopt;
  FileDescriptor file(number);
  for (int attempts = 0; try_lock(file) == FileLock::kHeldByAnother; ++attempts) {
    if (attempts == 100) return std::nullopt;
    usleep(10'000);
  }
  return file;
}

}  // namespace

AtomicDirectory::AtomicDirectory(fs::path target) : target_(normalised(std::move(target))) {
  const fs::file_status status = fs::symlink_status(target_);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError({.where = target_.string(), .given = "not a folder", .expected = "a folder, or an unused path"});
  }
  if (fs::is_directory(status)) finish_replacements(target_);
  std::error_code error;
  fs::create_directories(target_.parent_path(), error);
  if (error) throw_system_error("create", target_.parent_path(), error.value());
  make_staging();
}

AtomicDirectory::~AtomicDirectory() {
  if (!committed_) remove_tree(staging_);
}

// Creates the staging folder next to the target, or inside it if the target is a mount point or its parent is not
// writable.
void AtomicDirectory::make_staging() {
  const bool is_there = fs::is_directory(target_);
  if (is_there && is_mount_point(target_)) {
    if (try_to_make_staging(inner(target_))) return;
  } else {
    if (try_to_make_staging(target_)) return;
    if (is_there && is_immovable(errno) && try_to_make_staging(inner(target_))) return;
  }
  const int error_number = errno;
  if (!is_immovable(error_number)) throw_system_error("create", staging_, error_number);
  throw IoError(
      {.where = "create " + staging_.string(),
       .given = std::string(std::strerror(error_number)) + " (errno " + std::to_string(error_number) + ")",
       .expected = "a folder in which this user can create folders",
       .fix = "choose another folder, or create " + target_.string() + " with write permission for this user"},
      error_number);
}

// Returns false with the reason in errno.
bool AtomicDirectory::try_to_make_staging(const fs::path& name) {
  for (;;) {
    staging_ = unique_sibling(name, kStagingPrefix);
    if (mkdir(staging_.c_str(), 0777) != 0) return false;
    std::optional<FileDescriptor> lock = lock_of_new(staging_);
    if (!lock) continue;
    lock_ = std::move(*lock);
    return true;
  }
}

void AtomicDirectory::commit(const EntryTest& keep) {
  sync_tree(staging_);
  if (staging_.parent_path() != target_) {
    if (replace_whole(keep)) return;
    move_staging_inside();
  }
  replace_entries_of(keep);
}

// A journal of replacements names no files outside its folder.
void AtomicDirectory::move_staging_inside() {
  const fs::path inside = target_ / staging_.filename();
  rename_folder(staging_, inside);
  staging_ = inside;
}

// Returns false without any change if the old folder cannot be moved, or if a kept entry cannot be linked: a process
// that died between the moves would leave that entry in a folder that is removed.
bool AtomicDirectory::replace_whole(const EntryTest& keep) {
  if (has_rest_bit(target_)) return false;  // recover_directory() would take the old folder for a rest
  const std::set<std::string> written = names_in(staging_);
  std::vector<fs::path> links;
  if (keep && fs::is_directory(target_)) {
    auto linked = has_mount_points(target_) ? std::nullopt : link_kept(target_, staging_, keep);
    if (!linked) return false;
    links = std::move(*linked);
  }
  // The lock is held until the old folder is removed. Otherwise another process would restore it as an abandoned
  // folder.
  const std::optional<FileDescriptor> old_lock = wait_for_lock(target_);
  std::optional<fs::path> old;
  try {
    old = put_in_place(staging_, target_);
  } catch (const IoError& error) {
    if (!is_immovable(error.error_number()) || !fs::is_directory(target_)) throw;
    remove_links(links);
    return false;
  }
  committed_ = true;
  sync_folder(target_.parent_path());
  if (!old) return true;
  if (!keep) {
    remove_tree(*old);
  } else if (!move_kept(*old, target_, keep, written)) {
    keep_rest(*old, target_);
  }
  return true;
}

void AtomicDirectory::replace_entries_of(const EntryTest& keep) {
  const auto is_written = [&](const fs::path& name) { return entry_exists(staging_ / name); };
  std::vector<Replacement> replacements;
  if (is_written(kOpensFolder) && entry_exists(target_ / kOpensFolder))
    replacements.push_back({{}, target_ / kOpensFolder});
  for (const fs::directory_entry& entry : fs::directory_iterator(target_)) {
    const fs::path name = entry.path().filename();
    const bool goes = entry.path() != staging_ && name != kLostAndFound && !is_written(name) && !(keep && keep(entry));
    if (goes) replacements.push_back({{}, entry.path()});
  }
  for (const std::string& name : names_in(staging_)) {
    if (name != kOpensFolder) replacements.push_back({staging_ / name, target_ / name});
  }
  if (is_written(kOpensFolder)) replacements.push_back({staging_ / kOpensFolder, target_ / kOpensFolder});
  try {
    replace_entries(target_, replacements);
  } catch (const UnfinishedReplacement&) {
    committed_ = true;
    throw;
  }
  remove_tree(staging_);
  committed_ = true;
}

void require_not_working_folder(const fs::path& folder) {
  if (!fs::exists(folder) || !fs::equivalent(folder, fs::current_path())) return;
  throw UsageError(
      {.where = folder.string(), .given = "the working folder, which would be replaced", .expected = "another folder"});
}

void require_nothing_else(const fs::path& folder, const EntryTest& is_own, const std::string& what) {
  require_not_working_folder(folder);
  if (!fs::is_directory(folder)) return;  // AtomicDirectory reports other kinds of files
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_own(entry)) continue;
    throw UsageError(
        {.where = folder.string(),
         .given = "a folder that contains \"" + entry.path().filename().string() + "\", which would be lost",
         .expected = "a new folder, or a folder that contains only " + what,
         .fix = "choose another folder"});
  }
}

fs::path staging_of(const fs::path& target, const std::string& name) {
  return (normalised(target) / name).lexically_normal();
}

void remove_directory(const fs::path& path) {
  const fs::path target = normalised(path);
  const fs::path doomed = unique_sibling(target, kStagingPrefix);
  rename_folder(target, doomed);
  sync_folder(target.parent_path());  // before the removal, because a power cut must not leave half of the folder
  remove_tree(doomed);
}

bool has_entries(const fs::path& path) { return fs::exists(path) && !(fs::is_directory(path) && fs::is_empty(path)); }

std::vector<fs::path> rest_folders(const fs::path& target) { return siblings(normalised(target), kRestPrefix); }

Recovery recover_directory(const fs::path& path) {
  const fs::path target = normalised(path);
  Recovery recovery;
  const auto remove = [&](const fs::path& folder) {
    remove_tree(folder);
    recovery.removed.push_back(folder);
  };
  finish_replacements(target);
  for (const fs::path& aside : siblings(target, kAsidePrefix)) {
    const auto lock = lock_abandoned(aside, O_DIRECTORY);
    if (!lock) continue;
    if (has_entries(target)) {
      remove(aside);
      continue;
    }
    rename_folder(aside, target);
    sync_folder(target.parent_path());
    recovery.restored = true;
  }
  for (const fs::path& base : {target, inner(target)}) {
    for (const fs::path& staging : siblings(base, kStagingPrefix)) {
      if (const auto lock = lock_abandoned(staging, O_DIRECTORY)) remove(staging);
    }
  }
  return recovery;
}

}  // namespace portatune::io
