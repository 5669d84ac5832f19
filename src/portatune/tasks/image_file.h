// The image of a row: a file, or the bytes of one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "portatune/data.h"
#include "portatune/io/file.h"

namespace portatune::tasks {

/// The encoded image in a column: the column's own bytes if they begin as a JPEG, PNG or WebP file, otherwise the file
/// whose path it is. Paths of tables begin at their folder. The row must stay as long.
/// errors  DataError if the row has no such column; NotFoundError, IoError if the file cannot be read
class ImageFile {
 public:
  ImageFile(const data::Example& row, const std::string& column);

  std::span<const std::byte> bytes() const;
  /// In errors: the path, or where the row is from.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::span<const std::byte> in_row_;
  std::optional<io::MappedFile> file_;
};

/// What to call the image in a column: its text, or where the row is from if that is the image itself.
std::string image_name(const data::Example& row, const std::string& column);

}  // namespace portatune::tasks
