// Arrow's file systems for s3:// and gs://.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

namespace portatune::arrow_plugin {

/// Where an object is.
struct CloudPlace {
  std::shared_ptr<arrow::fs::FileSystem> store;  // of its bucket
  std::string path;                              // bucket/key
  bool is_s3 = false;
};

/// Opens the store of a URL's bucket, once. Credentials, region and endpoint are those of each cloud's own environment
/// variables and files. Nothing is tried twice: the command does that.
arrow::Result<CloudPlace> cloud_place(const std::string& url);

}  // namespace portatune::arrow_plugin
