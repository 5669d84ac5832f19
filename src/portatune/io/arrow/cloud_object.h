// Objects of s3:// and gs://, and their folders, which are prefixes of names.
#pragma once

#include <arrow/io/interfaces.h>

#include <memory>
#include <set>
#include <string>

#include "portatune/io/arrow/cloud_store.h"
#include "portatune/io/plugin/arrow_api.h"

namespace portatune::arrow_plugin {

class CloudObject {
 public:
  static arrow::Result<std::unique_ptr<CloudObject>> open(const std::string& url);

  int64_t size() const { return size_; }
  const std::string& identity() const { return identity_; }
  /// Reads bytes of the version that was opened.
  /// errors  as Arrow's ReadAt, and the Status of changed()
  arrow::Result<int64_t> read_at(int64_t offset, int64_t bytes, void* target);

 private:
  arrow::Status require_same() const;

  CloudLocation location_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t size_ = 0;
  std::string identity_;
};

/// The names of the objects, or of the folders, directly in a folder.
arrow::Result<std::set<std::string>> cloud_objects(const std::string& url);
arrow::Result<std::set<std::string>> cloud_folders(const std::string& url);

/// The error for an object that has changed since it was opened.
arrow::Status changed(const std::string& then, const std::string& now);

/// The kind of fault of a failed request.
PortatuneArrowFault cloud_fault(const arrow::Status& status);

}  // namespace portatune::arrow_plugin
