#include <algorithm>
#include <filesystem>
#include <system_error>

#include "portatune/base/text/message.h"
#include "portatune/data/order/indexed.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/data/read/map_rows.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().native().starts_with("."); }

// The kind of files that a folder is read for.
struct FolderKind {
  const char* stage;                     // name of the function and in states
  const char* file;                      // for errors: "an image"
  const char* files;                     // for errors: "images"
  bool (*has_name)(const std::string&);  // whether a name is that of such a file
};
constexpr FolderKind kImages{"read_image_folder", "an image", "images", is_image_name};
constexpr FolderKind kAudio{"read_audio_folder", "a recording", "recordings", is_audio_name};

struct Columns {
  std::string file, label;  // no label: folders are not classes
};

// All such files below the folder, as paths relative to it, sorted.
std::vector<fs::path> files_below(const fs::path& folder, const FolderKind& kind) {
  std::vector<fs::path> files;
  try {
    fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
    for (; entry != fs::recursive_directory_iterator(); ++entry) {
      if (is_hidden(entry->path())) {
        entry.disable_recursion_pending();
      } else if (kind.has_name(entry->path()) && !entry->is_directory()) {
        files.push_back(entry->path().lexically_relative(folder));
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw IoError({.where = error.path1().string(), .given = error.code().message(), .expected = "a readable folder"},
                  error.code().value());
  }
  std::ranges::sort(files);
  return files;
}

void require_class(const fs::path& folder, const fs::path& file, const FolderKind& kind) {
  if (file.has_parent_path()) return;
  throw DataError({.where = (folder / file).string(),
                   .given = std::string(kind.file) + " outside the folders of the classes",
                   .expected = "a folder for each class: " + (folder / "CLASS" / file).string()});
}

struct Listing {
  const FolderKind& kind;
  fs::path folder;
  std::vector<fs::path> files;  // relative to the folder
  Columns columns;
};

Example file_at(const Listing& listing, int64_t index) {
  const fs::path& within = listing.files[static_cast<size_t>(index)];
  const std::string path = (listing.folder / within).string();
  Example example(Origin{std::make_shared<const std::string>(path)});
  const auto& [file, label] = listing.columns;
  example.set(file, path);
  if (!label.empty()) example.set(label, within.begin()->string());
  return example;
}

std::string hash_of_names(const std::vector<fs::path>& files) {
  std::string names;
  for (const fs::path& file : files) names += file.string() + "\n";
  return hexadecimal(io::hash_of(names));
}

struct ClassFolder final : Stage {
  const std::shared_ptr<const Listing> listing;  // shared with the passes, which may outlive the stage
  const std::string fingerprint;
  explicit ClassFolder(std::shared_ptr<const Listing> listing)
      : listing(std::move(listing)), fingerprint(hash_of_names(this->listing->files)) {}

  std::unique_ptr<Iterator> iterate(Pass) const override {
    return iterate_by_index({.stage = listing->kind.stage,
                             .size = std::ssize(listing->files),
                             .at = [listing = listing](int64_t index) { return file_at(*listing, index); },
                             .fingerprint = fingerprint});
  }
  std::optional<int64_t> size() const override { return std::ssize(listing->files); }
  Example at(Pass, int64_t index) const override { return file_at(*listing, index); }
};

Dataset read_class_folder(const FolderKind& kind, const std::string& folder, Columns columns) {
  if (!fs::is_directory(folder)) {
    throw NotFoundError({.where = kind.stage, .given = "'" + folder + "'", .expected = "a folder"});
  }
  const bool labels = !columns.label.empty();
  std::vector<fs::path> files = files_below(folder, kind);
  if (files.empty()) {
    throw DataError({.where = folder,
                     .given = std::string("no ") + kind.files,
                     .expected = labels ? std::string("a folder of ") + kind.files + " for each class" : kind.files});
  }
  if (labels) {
    for (const fs::path& file : files) require_class(folder, file, kind);
  }
  std::vector<std::string> read = {columns.file};
  if (labels) read.push_back(columns.label);
  const Dataset rows(std::make_shared<ClassFolder>(
      std::make_shared<const Listing>(Listing{kind, folder, std::move(files), std::move(columns)})));
  return map_rows(rows, std::move(read));
}

}  // namespace

Dataset read_image_folder(const std::string& folder, ImageFolderOptions options) {
  return read_class_folder(kImages, folder, {std::move(options.image_column), std::move(options.label_column)});
}

Dataset read_audio_folder(const std::string& folder, AudioFolderOptions options) {
  return read_class_folder(kAudio, folder, {std::move(options.audio_column), std::move(options.label_column)});
}

}  // namespace portatune::data
