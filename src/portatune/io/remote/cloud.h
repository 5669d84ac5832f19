// Objects of s3:// and gs://, read by Apache Arrow: see arrow_api.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/remote/remote_file.h"

namespace portatune::io {

bool is_cloud(std::string_view path);

std::unique_ptr<Transport> cloud_transport(const std::string& url);

/// The objects directly in a folder, sorted by the bytes of their URLs.
/// errors  NotFoundError; IoError; DeviceError without the plug-in; Stopped
std::vector<std::string> cloud_objects(const std::string& folder);
/// The folders directly in a folder, each with a final slash. On gs:// this lists everything below the folder.
std::vector<std::string> cloud_folders(const std::string& folder);

}  // namespace portatune::io
