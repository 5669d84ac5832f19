// Files that are written so that a failure is never silent and never leaves half of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "portatune/base/file_descriptor.h"

namespace portatune {

/// A new file under construction. It becomes durable by `finish`; without that, the destructor removes it again.
/// A write beyond RLIMIT_FSIZE is an IoError only where the program ignores SIGXFSZ.
class OutputFile {
 public:
  /// mode  permissions, of which the process's umask takes its part
  /// Never overwrites and never follows a link: IoError if `path` exists.
  explicit OutputFile(std::filesystem::path path, int mode = 0666);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Asks the file system for space, so that a full disk is noticed before the first byte is written.
  void reserve(int64_t bytes);
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// fsync and close, unless that is done. After an error the file is given up: a second fsync could report success for
  /// lost pages.
  void finish();
  /// The open file; none after finish().
  const FileDescriptor& descriptor() const { return file_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  bool finished_ = false;
};

/// A file that replaces an older one in one move: written beside its place as `tmp.<name>.<16 hex digits>`, which is
/// removed again without a `commit`. What a killed process leaves of it has no lock: see remove_leftovers().
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
  /// fsync and close: of several files that belong together, all before commit_together().
  void finish();
  /// finish, rename, fsync of the folder. If it throws, the older file is in place, unless only the last one failed.
  void commit();
  /// Commits all files or none, as replace_entries() does. All must be finished.
  /// removed   older files that have no successor; they need not be there
  static void commit_together(std::span<AtomicFile* const> files,
                              const std::vector<std::filesystem::path>& removed = {});

 private:
  std::filesystem::path target_, temporary_;
  std::optional<OutputFile> file_;
  FileDescriptor lock_;  // on the finished file, until it is in place
  bool committed_ = false;
};

/// Finishes what dead processes have begun with AtomicFile::commit_together() in the folders of these files, and
/// removes what they have left of AtomicFiles under construction for them. Files of live processes and of other users
/// are left alone, and so is whatever bears another name.
/// errors    IoError
void remove_leftovers(std::span<const std::filesystem::path> targets);

/// fsync of a folder, so that a power cut does not undo what was renamed there.
/// errors    IoError
void sync_folder(const std::filesystem::path& folder);

/// A name that nothing has: beside `target`, and made of prefix, its name, and 16 random hex digits.
std::filesystem::path unique_sibling(const std::filesystem::path& target, std::string_view prefix);
/// Whether `name` is one that unique_sibling() makes for a target of this name.
bool is_unique_sibling(std::string_view name, std::string_view target_name, std::string_view prefix);

/// Prefix of the names of what is being written.
inline constexpr std::string_view kTemporaryPrefix = "tmp.";
/// Prefix of the names of what is being replaced.
inline constexpr std::string_view kAsidePrefix = "old.";

}  // namespace portatune
