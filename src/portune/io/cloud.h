// Objects of s3:// and gs://, which Apache Arrow reads: see arrow/api.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portune/io/remote_file.h"

namespace portune::io {

bool is_cloud(std::string_view path);

std::unique_ptr<Transport> cloud_transport(const std::string& url);

struct CloudEntry {
  std::string url;
  int64_t size = 0;
  std::string changed;  ///< when, as nanoseconds since 1970
};

/// The objects directly in a folder, sorted by the bytes of their URLs.
/// errors  NotFoundError; IoError; DeviceError without the plug-in; Stopped
std::vector<CloudEntry> cloud_objects(const std::string& folder);
/// The folders directly in it, with a slash at the end of each. On gs:// all that is below is listed for that.
std::vector<std::string> cloud_folders(const std::string& folder);

}  // namespace portune::io
