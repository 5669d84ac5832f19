// A folder that appears whole or not at all, whatever fails while it is written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/base/file_descriptor.h"
#include "portatune/io/file/keep_entries.h"

namespace portatune::io {

/// A folder under construction, `tmp.<name>.<16 hex digits>`. `commit` makes all of it durable and puts it in place,
/// where it replaces a folder that is there already. Without `commit` the destructor removes it and the old folder
/// stays as it was.
///
/// It is made beside its place, and takes it in one move: after a crash at any moment the place holds the whole old
/// folder or the whole new one; on file systems that cannot exchange two names it may be empty until
/// `recover_directory` runs. Where the place cannot be moved, as it is a mount point or its parent is not writable, the
/// folder is made inside of it, and its entries are moved one after the other (replace_entries); so they are, too,
/// where entries of the old folder are kept that cannot have a second name. After a crash in the midst of that the
/// place has no config.json, so that nothing loads a mixture, until `recover_directory` finishes it.
class AtomicDirectory {
 public:
  /// Creates missing parents of `target`, and the staging folder.
  /// errors    IoError; UsageError if `target` has no name or is there and is no folder
  explicit AtomicDirectory(std::filesystem::path target);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  /// Where to write files until the commit, by io::write_file, write_safetensors or anything else that writes whole
  /// files.
  const std::filesystem::path& staging() const { return staging_; }
  /// The staging folder as seen from the target, for staging_of() in another process.
  std::string staging_name() const { return staging_.lexically_relative(target_).string(); }

  /// fsync of every file and folder, rename, fsync of the parent, removal of the old folder. Call once. If it throws,
  /// the old folder is in place, unless only the last fsync failed: then the new one is, the old one stays beside it,
  /// and a power cut may bring it back.
  /// keep   which entries of the old folder are to be in the new one, too; what has been written under the same name
  ///        comes first. They stay what they are, for whoever has them open, and nothing is lost of what is written to
  ///        them or into these folders meanwhile. What comes meanwhile and cannot be moved to the new folder stays in
  ///        `rest.<name>.<16 hex digits>` beside it.
  void commit(const EntryTest& keep = {});

 private:
  void make_staging();
  bool try_to_make_staging(const std::filesystem::path& folder);
  bool replace_whole(const EntryTest& keep);
  void replace_entries_of(const EntryTest& keep);

  std::filesystem::path target_, staging_;
  FileDescriptor lock_;  // held while this object lives: others see that the staging folder is in use
  bool committed_ = false;
};

/// Name of a folder that belongs to a file system, at its root: nobody's file, and never moved or removed.
inline constexpr const char* kLostAndFound = "lost+found";

/// That replacing this folder as a whole loses nothing: it is not there, or has nothing in it but what is the writer's.
/// what    these entries, for the error: "saved programs"
/// errors  UsageError for anything else, and for the working folder
void require_nothing_else(const std::filesystem::path& folder, const EntryTest& is_own, const std::string& what);
/// Replacing the working folder would leave whoever works there in one that is gone.
/// errors  UsageError
void require_not_working_folder(const std::filesystem::path& folder);

/// The staging folder that an AtomicDirectory of another process has made for the same target.
/// name  its staging_name()
std::filesystem::path staging_of(const std::filesystem::path& target, const std::string& name);

/// Removes a folder so that its place has the whole of it or nothing, whenever the process dies: what is left then has
/// the name of a staging folder, and `recover_directory` removes it.
/// errors    IoError, NotFoundError if it cannot be moved
void remove_directory(const std::filesystem::path& path);

/// What `recover_directory` did.
struct Recovery {
  std::vector<std::filesystem::path> removed;  ///< what dead runs had not finished, or not finished removing
  bool restored = false;                       ///< the old folder was put back in place
};

/// Cleans up after runs that died while they wrote `target`: finishes the replacement of its entries, puts a folder
/// back that such a run had moved aside, and removes their staging folders. Staging folders that a live process holds,
/// of other targets or of other users are left alone, and so is whatever bears another name. To be called before a run
/// reads or writes `target`.
Recovery recover_directory(const std::filesystem::path& target);

}  // namespace portatune::io
