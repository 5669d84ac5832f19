// The file of a row, such as an image or a recording: a file that the row names, or its bytes in the row.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "portatune/data.h"
#include "portatune/io/file/file.h"
#include "portatune/io/file/seen_files.h"

namespace portatune::tasks {

/// The files of a task.
struct FileType {
  const char* one;      ///< for errors: "an image"
  const char* formats;  ///< for errors: "a JPEG, PNG or WebP file"
  bool (*begins_file)(std::span<const std::byte> bytes);
};
extern const FileType kImageFile, kAudioFile;

/// The encoded file in a column: the column's own bytes if they begin as a file of this type, otherwise the file at
/// this path or URL. Relative paths begin at the folder of the table. The row must outlive this object.
/// seen    notices changes of local files; null: none
/// errors  DataError if the row has no such column, or for a URL of an unsupported form; NotFoundError, IoError if the
///         file cannot be read
class RowFile {
 public:
  RowFile(const data::Example& row, const std::string& column, const FileType& type, io::SeenFiles* seen = nullptr);

  std::span<const std::byte> bytes() const;
  /// The name in errors: the path or URL, or the origin of the row.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::span<const std::byte> in_row_;
  std::string downloaded_;
  std::optional<io::MappedFile> file_;
};

/// The column that holds the downloaded file in the rows of download_files().
inline constexpr const char* kDownloadedFile = "downloaded file";

/// Returns whether the first readable row names its file by a URL. If so, use download_files().
bool names_urls(const data::Dataset& rows, const std::string& column, const FileType& type);

/// The rows with the files of their URLs. Many threads download, so that decoding does not wait for servers. Without
/// this stage RowFile downloads by itself.
/// local  the local rows, whose files are needed
data::Dataset download_files(const data::Dataset& rows, const std::string& column, const FileType& type,
                             const data::LocalRows& local);

/// The absolute path or the URL of the file in a column, or the origin of the row if the column has the file itself.
std::string file_path(const data::Example& row, const std::string& column, const FileType& type);

/// The name of the file in a column: its text, or the origin of the row if the text is the file itself.
std::string file_name(const data::Example& row, const std::string& column, const FileType& type);

}  // namespace portatune::tasks
