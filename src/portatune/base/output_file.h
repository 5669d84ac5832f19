// Files that are written so that a failure is never silent and never leaves half of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

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

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  bool finished_ = false;
};

/// A file that replaces an older one in one move: written beside its place as `tmp.<name>.<16 hex digits>`, which is
/// removed again without a `commit`.
class AtomicFile {
 public:
  /// errors    IoError, NotFoundError if the folder is missing
  explicit AtomicFile(std::filesystem::path target, int mode = 0666);
  ~AtomicFile();

  void write(std::span<const std::byte> bytes) { file_.write(bytes); }
  void write(std::string_view text) { file_.write(text); }
  /// fsync and close: of several files that belong together, all before the first commit.
  void finish() { file_.finish(); }
  /// finish, rename. If it throws, the older file is in place.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  OutputFile file_;
  bool committed_ = false;
};

/// A name that nothing has: beside `target`, and made of prefix, its name, and 16 random hex digits.
std::filesystem::path unique_sibling(const std::filesystem::path& target, std::string_view prefix);

/// Before the names of what is being written.
inline constexpr std::string_view kTemporaryPrefix = "tmp.";

}  // namespace portatune
