#include "portatune/io/remote/listing.h"

#include "portatune/io/hub/hub_files.h"
#include "portatune/io/remote/cloud.h"

namespace portatune::io {

bool has_listing(std::string_view path) { return is_cloud(path) || is_hub_url(path); }

std::vector<std::string> remote_files(const std::string& folder) {
  return is_hub_url(folder) ? hub_objects(folder) : cloud_objects(folder);
}

std::vector<std::string> remote_folders(const std::string& folder) {
  return is_hub_url(folder) ? hub_folders(folder) : cloud_folders(folder);
}

}  // namespace portatune::io
