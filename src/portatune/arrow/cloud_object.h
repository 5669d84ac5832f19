// Objects of s3:// and gs://, and the folders that they seem to be in.
#pragma once

#include <arrow/io/interfaces.h>

#include <memory>
#include <set>
#include <string>

#include "portatune/arrow/cloud_store.h"
#include "portatune/io/plugin/arrow_api.h"

namespace portatune::arrow_plugin {

class CloudObject {
 public:
  static arrow::Result<std::unique_ptr<CloudObject>> open(const std::string& url);

  int64_t size() const { return size_; }
  const std::string& identity() const { return identity_; }
  /// errors  also kChanged
  arrow::Result<int64_t> read_at(int64_t offset, int64_t bytes, void* target);

 private:
  arrow::Status require_same() const;

  CloudPlace place_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t size_ = 0;
  std::string identity_;
};

/// The names of what is directly in a folder.
arrow::Result<std::set<std::string>> cloud_objects(const std::string& url);
arrow::Result<std::set<std::string>> cloud_folders(const std::string& url);

/// That an object is another than the one that was opened.
arrow::Status changed(const std::string& then, const std::string& now);

/// What kind of fault a failed request is.
PortatuneArrowFault cloud_fault(const arrow::Status& status);

}  // namespace portatune::arrow_plugin
