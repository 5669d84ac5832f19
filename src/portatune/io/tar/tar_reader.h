// Members of tar archives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

/// A regular file in an archive.
struct TarMember {
  std::string name;
  int64_t header;  ///< position of its first header, from which it can be read again
  int64_t begin;   ///< position of its content
  int64_t size;
};

/// Reads the regular files of a tar archive one after the other: ustar, with the long names of pax and GNU. Folders,
/// links and other members are skipped. The archive is not compressed.
class TarReader {
 public:
  /// errors  those of open_random_access()
  explicit TarReader(const std::string& path);

  /// The next file, without its content; nothing at the end.
  /// errors  DataError with the position for a damaged header or a truncated archive; IoError
  std::optional<TarMember> next();
  /// The content of a file.
  /// errors  DataError for more than 1 GB; IoError
  std::string read(const TarMember& member) const;

  /// Position behind the last member.
  int64_t position() const { return position_; }
  /// Goes to the header of a member.
  void seek(int64_t header) { position_ = header; }

 private:
  struct Header;
  std::optional<Header> read_header();
  void take_long_name(const Header& header, std::string& name, std::optional<int64_t>& size) const;
  std::string content(int64_t begin, int64_t size) const;
  bool has_only_zeros_from(int64_t position) const;

  std::string path_;
  std::shared_ptr<const RandomAccessFile> file_;
  int64_t position_ = 0;  // of the next header
};

}  // namespace portatune::io
