// Output files that report every failure and never remain half written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/files/file_descriptor.h"

namespace portatune {

/// A new file under construction. `finish` makes it durable; without `finish`, the destructor removes it. A write
/// beyond RLIMIT_FSIZE is an IoError only if the program ignores SIGXFSZ.
class OutputFile {
 public:
  /// Never overwrites and never follows a link: IoError if `path` exists.
  /// mode  permissions, reduced by the process's umask
  explicit OutputFile(std::filesystem::path path, int mode = 0666);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Reserves space, so that a full disk is an error before the first write.
  void reserve(int64_t bytes);
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Calls fsync and close once. After an error the file is lost: a second fsync could report success for lost pages.
  void finish();
  /// The open file. It is closed after finish().
  const FileDescriptor& descriptor() const { return file_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  bool finished_ = false;
};

/// A file that replaces an older file in one rename. Until then it is `tmp.<name>.<16 hex digits>` in the same folder;
/// without `commit` the destructor removes that file. The temporary file of a killed process has no lock: see
/// remove_leftovers().
class AtomicFile {
 public:
  /// errors    IoError, NotFoundError if the folder is missing
  explicit AtomicFile(std::filesystem::path target, int mode = 0666);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  void write(std::span<const std::byte> bytes) { file_->write(bytes); }
  void write(std::string_view text) { file_->write(text); }
  /// Calls fsync and close. Files that belong together are all finished before commit_together().
  void finish();
  /// Finishes, renames, and syncs the folder. If it throws, the older file is in place, unless only the sync failed.
  void commit();
  /// Commits all files or none, as replace_entries() does. All files must be finished.
  /// removed   older files without a successor; they may be absent
  static void commit_together(std::span<AtomicFile* const> files,
                              const std::vector<std::filesystem::path>& removed = {});

 private:
  std::filesystem::path target_, temporary_;
  std::optional<OutputFile> file_;
  FileDescriptor lock_;  // holds the lock on the finished file until the rename
  bool committed_ = false;
};

/// Writes a file of one text, which replaces an older one as AtomicFile does.
/// errors    those of AtomicFile
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Completes each AtomicFile::commit_together() that a dead process began in the folders of these files, and removes
/// temporary files that dead processes left for them. Files of live processes, of other users and with other names
/// stay.
/// errors    IoError
void remove_leftovers(std::span<const std::filesystem::path> targets);

/// Syncs a folder, so that a power cut does not undo renames in it.
/// errors    IoError
void sync_folder(const std::filesystem::path& folder);

/// An unused path in the folder of `target`: prefix, the target's name, a dot and 16 random hex digits.
std::filesystem::path unique_sibling(const std::filesystem::path& target, std::string_view prefix);
/// Returns whether `name` is a result of unique_sibling() for a target of this name.
bool is_unique_sibling(std::string_view name, std::string_view target_name, std::string_view prefix);
/// The target's name if `name` is a result of unique_sibling() with this prefix.
std::optional<std::string> target_of_sibling(std::string_view name, std::string_view prefix);

/// Prefix of the names of files and folders under construction.
inline constexpr std::string_view kTemporaryPrefix = "tmp.";
/// Prefix of the names of older files and folders during their replacement.
inline constexpr std::string_view kAsidePrefix = "old.";

}  // namespace portatune
