#include "portatune/arrow/cloud_object.h"

#include <arrow/util/key_value_metadata.h>

#include <array>

namespace portatune::arrow_plugin {
namespace {

using arrow::Result;
using arrow::Status;

// Google's number of a version, or an ETag.
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
  std::string folder;  // bucket/path, without a slash at its end
  std::vector<arrow::fs::FileInfo> entries;
};

Result<Listing> list(const std::string& url, bool all_below) {
  ARROW_ASSIGN_OR_RAISE(CloudPlace place, cloud_place(url));
  while (place.path.ends_with('/')) place.path.pop_back();
  arrow::fs::FileSelector selector;
  selector.base_dir = place.path;
  selector.recursive = all_below;
  ARROW_ASSIGN_OR_RAISE(auto entries, place.store->GetFileInfo(selector));
  return Listing{std::move(place.path), std::move(entries)};
}

}  // namespace

Result<std::unique_ptr<CloudObject>> CloudObject::open(const std::string& url) {
  auto object = std::make_unique<CloudObject>();
  ARROW_ASSIGN_OR_RAISE(object->place_, cloud_place(url));
  ARROW_ASSIGN_OR_RAISE(object->file_, object->place_.store->OpenInputFile(object->place_.path));
  ARROW_ASSIGN_OR_RAISE(object->size_, object->file_->GetSize());
  ARROW_ASSIGN_OR_RAISE(object->identity_, identity_of(*object->file_));
  return object;
}

Result<int64_t> CloudObject::read_at(int64_t offset, int64_t bytes, void* target) {
  const Result<int64_t> count = file_->ReadAt(offset, bytes, target);
  // Of S3 Arrow asks for ranges of whatever is under the name now: after the read, as the change may come while it
  // runs. Google is asked for the version that was opened; why it does not give it Arrow does not tell, but this does.
  if (place_.is_s3 == count.ok()) ARROW_RETURN_NOT_OK(require_same());
  return count;
}

Status CloudObject::require_same() const {
  ARROW_ASSIGN_OR_RAISE(const auto file, place_.store->OpenInputFile(place_.path));
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

// On gs:// Arrow tells of folders only where an empty object stands for one.
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
