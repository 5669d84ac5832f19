#include <algorithm>
#include <filesystem>
#include <system_error>

#include "portatune/base/message.h"
#include "portatune/data/order/indexed.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().native().starts_with("."); }

// All images below the folder, as paths relative to it, sorted.
std::vector<fs::path> images_below(const fs::path& folder) {
  std::vector<fs::path> images;
  try {
    fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
    for (; entry != fs::recursive_directory_iterator(); ++entry) {
      if (is_hidden(entry->path())) {
        entry.disable_recursion_pending();
      } else if (is_image_name(entry->path()) && !entry->is_directory()) {
        images.push_back(entry->path().lexically_relative(folder));
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw IoError({.where = error.path1().string(), .given = error.code().message(), .expected = "a readable folder"},
                  error.code().value());
  }
  std::ranges::sort(images);
  return images;
}

void require_class(const fs::path& folder, const fs::path& image) {
  if (image.has_parent_path()) return;
  throw DataError({.where = (folder / image).string(),
                   .given = "an image outside the folders of the classes",
                   .expected = "a folder for each class: " + (folder / "CLASS" / image).string()});
}

struct Listing {
  fs::path folder;
  std::vector<fs::path> images;  // relative to the folder
  ImageFolderOptions columns;
};

Example image_at(const Listing& listing, int64_t index) {
  const fs::path& within = listing.images[static_cast<size_t>(index)];
  const std::string path = (listing.folder / within).string();
  Example example(Origin{std::make_shared<const std::string>(path)});
  const auto& [image, label] = listing.columns;
  example.set(image, path);
  if (!label.empty()) example.set(label, within.begin()->string());
  return example;
}

std::string hash_of_names(const std::vector<fs::path>& images) {
  std::string names;
  for (const fs::path& image : images) names += image.string() + "\n";
  return hexadecimal(io::hash_of(names));
}

struct Images final : Stage {
  const std::shared_ptr<const Listing> listing;  // shared with the passes, which may outlive the stage
  const std::string fingerprint;
  explicit Images(std::shared_ptr<const Listing> listing)
      : listing(std::move(listing)), fingerprint(hash_of_names(this->listing->images)) {}

  std::unique_ptr<Iterator> iterate(Pass) const override {
    return iterate_by_index({.stage = "read_image_folder",
                             .size = std::ssize(listing->images),
                             .at = [listing = listing](int64_t index) { return image_at(*listing, index); },
                             .fingerprint = fingerprint});
  }
  std::optional<int64_t> size() const override { return std::ssize(listing->images); }
  Example at(Pass, int64_t index) const override { return image_at(*listing, index); }
};

}  // namespace

Dataset read_image_folder(const std::string& folder, ImageFolderOptions options) {
  if (!fs::is_directory(folder)) {
    throw NotFoundError({.where = "read_image_folder", .given = "'" + folder + "'", .expected = "a folder"});
  }
  const bool labels = !options.label_column.empty();
  std::vector<fs::path> images = images_below(folder);
  if (images.empty()) {
    throw DataError(
        {.where = folder, .given = "no images", .expected = labels ? "a folder of images for each class" : "images"});
  }
  if (labels) {
    for (const fs::path& image : images) require_class(folder, image);
  }
  return Dataset(std::make_shared<Images>(
      std::make_shared<const Listing>(Listing{folder, std::move(images), std::move(options)})));
}

}  // namespace portatune::data
