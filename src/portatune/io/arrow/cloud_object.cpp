#include "portatune/io/arrow/cloud_object.h"

#include <arrow/util/key_value_metadata.h>

#include <array>

namespace portatune::arrow_plugin {
namespace {

using arrow::Result;
using arrow::Status;

// The generation of a Google object, or the ETag.
Result<std::string> identity_of(arrow::io::RandomAccessFile& file) {
  ARROW_ASSIGN_OR_RAISE(const auto metadata, file.ReadMetadata());
  if (!metadata) return "";
  constexpr std::array kNames = {"generation", "ETag", "etag"};
  for (const char* name : kNames) {
    if (const int index = metadata->FindKey(name); index >= 0) return metadata->value(index);
  }
  return "";
}

struct Listing {
  std::string folder;  // bucket/path without a final slash
  std::vector<arrow::fs::FileInfo> entries;
};

Result<Listing> list(const std::string& url, bool all_below) {
  ARROW_ASSIGN_OR_RAISE(CloudLocation location, cloud_location(url));
  while (location.path.ends_with('/')) location.path.pop_back();
  arrow::fs::FileSelector selector;
  selector.base_dir = location.path;
  selector.recursive = all_below;
  ARROW_ASSIGN_OR_RAISE(auto entries, location.store->GetFileInfo(selector));
  return Listing{std::move(location.path), std::move(entries)};
}

}  // namespace

Result<std::unique_ptr<CloudObject>> CloudObject::open(const std::string& url) {
  auto object = std::make_unique<CloudObject>();
  ARROW_ASSIGN_OR_RAISE(object->location_, cloud_location(url));
  ARROW_ASSIGN_OR_RAISE(object->file_, object->location_.store->OpenInputFile(object->location_.path));
  ARROW_ASSIGN_OR_RAISE(object->size_, object->file_->GetSize());
  ARROW_ASSIGN_OR_RAISE(object->identity_, identity_of(*object->file_));
  return object;
}

Result<int64_t> CloudObject::read_at(int64_t offset, int64_t bytes, void* target) {
  const Result<int64_t> count = file_->ReadAt(offset, bytes, target);
  // On S3 Arrow reads from the object that now has the name. The check follows the read, because the object may
  // change during it. On Google Arrow reads the version that was opened; if that fails, the check finds out whether it
  // changed.
  if (location_.is_s3 == count.ok()) ARROW_RETURN_NOT_OK(require_same());
  return count;
}

Status CloudObject::require_same() const {
  ARROW_ASSIGN_OR_RAISE(const auto file, location_.store->OpenInputFile(location_.path));
  ARROW_ASSIGN_OR_RAISE(const std::string now, identity_of(*file));
  return now == identity_ ? Status::OK() : changed(identity_, now);
}

Result<std::set<std::string>> cloud_objects(const std::string& url) {
  ARROW_ASSIGN_OR_RAISE(const Listing listing, list(url, /*all_below=*/false));
  std::set<std::string> names;
  for (const arrow::fs::FileInfo& entry : listing.entries) {
    if (entry.IsFile()) names.insert(entry.base_name());
  }
  return names;
}

// On gs:// Arrow lists only folders with an empty object as a placeholder, so this lists everything below.
Result<std::set<std::string>> cloud_folders(const std::string& url) {
  ARROW_ASSIGN_OR_RAISE(const Listing listing, list(url, /*all_below=*/url.starts_with("gs://")));
  std::set<std::string> names;
  for (const arrow::fs::FileInfo& entry : listing.entries) {
    const std::string within = entry.path().substr(listing.folder.size() + 1);
    const size_t slash = within.find('/');
    if (entry.IsDirectory() || slash != std::string::npos) names.insert(within.substr(0, slash));
  }
  return names;
}

}  // namespace portatune::arrow_plugin
