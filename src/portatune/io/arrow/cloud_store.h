// Arrow's file systems for s3:// and gs://.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

namespace portatune::arrow_plugin {

/// The location of an object.
struct CloudLocation {
  std::shared_ptr<arrow::fs::FileSystem> store;  // the store of its bucket
  std::string path;                              // bucket/key
  bool is_s3 = false;
};

/// Opens the store of a URL's bucket, once. Credentials, region and endpoint come from the environment variables and
/// files of each cloud. Nothing is retried, because the command retries.
arrow::Result<CloudLocation> cloud_location(const std::string& url);

}  // namespace portatune::arrow_plugin
