// The image of a row: a file, or its bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "portatune/data.h"
#include "portatune/io/file/file.h"

namespace portatune::tasks {

/// The encoded image in a column: the column's own bytes if they begin as a JPEG, PNG or WebP file, otherwise the file
/// at this path or URL. Relative paths begin at the folder of the table. The row must outlive this object.
/// errors  DataError if the row has no such column, or for a URL of an unsupported form; NotFoundError, IoError if the
///         file cannot be read
class ImageFile {
 public:
  ImageFile(const data::Example& row, const std::string& column);

  std::span<const std::byte> bytes() const;
  /// The name in errors: the path or URL, or the origin of the row.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::span<const std::byte> in_row_;
  std::string downloaded_;
  std::optional<io::MappedFile> file_;
};

/// The column that holds the downloaded file in the rows of download_images().
inline constexpr const char* kDownloadedImage = "downloaded image file";

/// Returns whether the first readable row names its image by a URL. If so, use download_images().
bool names_urls(const data::Dataset& rows, const std::string& column);

/// The rows with the files of their URLs. Many threads download, so that decoding does not wait for servers. Without
/// this stage ImageFile downloads by itself.
/// local  the local rows, whose images are needed
data::Dataset download_images(const data::Dataset& rows, const std::string& column, const data::LocalRows& local);

/// The name of the image in a column: its text, or the origin of the row if the text is the image itself.
std::string image_name(const data::Example& row, const std::string& column);

}  // namespace portatune::tasks
