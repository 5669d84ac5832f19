// Atomic replacement of a folder: it appears complete or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/io/file/keep_entries.h"

namespace portatune::io {

/// A folder under construction, `tmp.<name>.<16 hex digits>`. `commit` makes all of it durable and renames it to the
/// target, where it replaces an existing folder. Without `commit` the destructor removes it and the old folder stays
/// unchanged.
///
/// The staging folder is next to the target, and one rename replaces the target: after a crash at any moment the target
/// is the complete old folder or the complete new one. On file systems that cannot exchange two names the target may be
/// missing until `recover_directory` runs.
///
/// If the target cannot be renamed, because it is a mount point or its parent is not writable, the staging folder is
/// inside the target, and its entries are moved one by one (replace_entries). The commit moves it there if an entry of
/// the old folder is kept and cannot have a second name. After a crash during these moves the target has no
/// config.json, so that nothing loads a mixture, until `recover_directory` completes them.
class AtomicDirectory {
 public:
  /// Creates the staging folder and missing parents of `target`.
  /// errors    IoError; UsageError if `target` has no name or exists and is not a folder
  explicit AtomicDirectory(std::filesystem::path target);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  /// The folder for files until the commit. Any function that writes whole files may write there, such as
  /// io::write_file or write_safetensors.
  const std::filesystem::path& staging() const { return staging_; }
  /// The path of the staging folder relative to the target, for staging_of() in another process.
  std::string staging_name() const { return staging_.lexically_relative(target_).string(); }

  /// Syncs every file and folder, renames, syncs the parent, and removes the old folder. Call it once. If it throws,
  /// the old folder is in place, unless only the last sync failed: then the new folder is in place, the old one stays
  /// next to it, and a power cut may restore it.
  /// keep   selects the entries of the old folder that the new one keeps, unless a new entry has the same name. They
  ///        remain the same files for processes that have them open. Nothing is lost of what these processes write to
  ///        them meanwhile, or create in kept folders. What cannot be moved to the new folder stays in
  ///        `rest.<name>.<16 hex digits>` next to it: see rest_folders(). Throws if the old folder can neither get this
  ///        name nor be marked, although the new one is in place.
  void commit(const EntryTest& keep = {});

 private:
  void make_staging();
  bool try_to_make_staging(const std::filesystem::path& folder);
  bool replace_whole(const EntryTest& keep);
  void move_staging_inside();
  void replace_entries_of(const EntryTest& keep);

  std::filesystem::path target_, staging_;
  FileDescriptor lock_;  // shows other processes that the staging folder is in use
  bool committed_ = false;
};

/// Name of a folder that belongs to a file system, at its root. It is never moved or removed.
inline constexpr const char* kLostAndFound = "lost+found";

/// Throws unless replacing this folder loses nothing: it is absent, or contains only the writer's own entries.
/// what    noun for these entries in the error: "saved programs"
/// errors  UsageError for other entries and for the current working folder
void require_nothing_else(const std::filesystem::path& folder, const EntryTest& is_own, const std::string& what);
/// Throws for the current working folder: replacing it would leave its processes in a removed folder.
/// errors  UsageError
void require_not_working_folder(const std::filesystem::path& folder);

/// The staging folder that an AtomicDirectory of another process has created for the same target.
/// name  its staging_name()
std::filesystem::path staging_of(const std::filesystem::path& target, const std::string& name);

/// Removes a folder atomically: if the process dies, its path holds the complete folder or nothing. The rest then has
/// the name of a staging folder, and `recover_directory` removes it.
/// errors    IoError, NotFoundError if it cannot be moved
void remove_directory(const std::filesystem::path& path);

/// Folders next to `target` with entries that a commit should have kept and could not move to the new folder. The
/// newest is the first. Portatune never deletes them. One that could not be renamed has the name of a staging folder
/// and a mark, the sticky bit.
std::vector<std::filesystem::path> rest_folders(const std::filesystem::path& target);

/// The result of `recover_directory`.
struct Recovery {
  std::vector<std::filesystem::path> removed;  ///< folders of dead runs: unfinished, or not completely removed
  bool restored = false;                       ///< whether the old folder was restored
};

/// Returns whether the path is a file, or a folder that is not empty. A script may create an empty folder before a run.
bool has_entries(const std::filesystem::path& path);

/// Cleans up after runs that died while they wrote `target`: completes the replacement of its entries, restores a
/// folder that such a run had set aside, unless the target has entries, and removes its staging folders. Staging
/// folders of live processes, of other targets and of other users stay, as do entries with other names. Call it before
/// a run reads or writes `target`.
Recovery recover_directory(const std::filesystem::path& target);

}  // namespace portatune::io
