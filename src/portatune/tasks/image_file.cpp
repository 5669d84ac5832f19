#include "portatune/tasks/image_file.h"

#include <filesystem>

#include "portatune/image.h"

namespace portatune::tasks {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::filesystem::path path_in(const data::Example& row, const std::string& column) {
  const data::Origin& origin = row.origin();
  const std::filesystem::path path = row.text(column);
  return origin.file && origin.row >= 0 ? std::filesystem::path(*origin.file).parent_path() / path : path;
}

}  // namespace

ImageFile::ImageFile(const data::Example& row, const std::string& column) {
  const std::span<const std::byte> text = bytes_of(row.text(column));
  if (image::is_image(text)) {
    name_ = to_string(row.origin());
    in_row_ = text;
  } else {
    name_ = path_in(row, column).string();
    file_ = io::MappedFile::open(name_, io::FileAccess::kRead);
  }
}

std::span<const std::byte> ImageFile::bytes() const { return file_ ? file_->bytes() : in_row_; }

std::string image_name(const data::Example& row, const std::string& column) {
  const std::string& text = row.text(column);
  return image::is_image(bytes_of(text)) ? to_string(row.origin()) : text;
}

}  // namespace portatune::tasks
