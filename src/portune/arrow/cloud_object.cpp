#include "portune/arrow/cloud_object.h"

#include <arrow/util/key_value_metadata.h>

#include <array>
#include <set>

namespace portune::arrow_plugin {
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

Status list_cloud_objects(const std::string& url, const TakeEntry& take) {
  ARROW_ASSIGN_OR_RAISE(const Listing listing, list(url, /*all_below=*/false));
  for (const arrow::fs::FileInfo& entry : listing.entries) {
    if (!entry.IsFile()) continue;
    const std::string name = entry.base_name();
    take({.name = name.c_str(), .size = entry.size(), .changed_ns = entry.mtime().time_since_epoch().count()});
  }
  return Status::OK();
}

// On gs:// Arrow tells of folders only where an empty object stands for one.
Status list_cloud_folders(const std::string& url, const TakeEntry& take) {
  ARROW_ASSIGN_OR_RAISE(const Listing listing, list(url, /*all_below=*/url.starts_with("gs://")));
  std::set<std::string> folders;
  for (const arrow::fs::FileInfo& entry : listing.entries) {
    const std::string within = entry.path().substr(listing.folder.size() + 1);
    const size_t slash = within.find('/');
    if (entry.IsDirectory() || slash != std::string::npos) folders.insert(within.substr(0, slash));
  }
  for (const std::string& folder : folders) take({.name = folder.c_str(), .size = 0, .changed_ns = 0});
  return Status::OK();
}

}  // namespace portune::arrow_plugin
