// Files of data sets on the Hub, by the URLs of huggingface_hub: hf://datasets/org/name@revision/folder/file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/hub/hub_client.h"
#include "portatune/io/hub/hub_name.h"
#include "portatune/io/remote/remote_file.h"

namespace portatune::io {

/// A file or folder of a data set.
struct HubPath {
  HubName name;
  std::string path;  ///< without a slash at the beginning; empty for the data set itself

  /// Parses "org/name", "org/name@revision" and "org/name@revision/path". A slash in a revision is written as %2F,
  /// except in refs/pr/1 and refs/convert/parquet.
  /// url     the complete text, for errors
  /// errors  UsageError
  static HubPath parse(const std::string& text, const std::string& url);
};

/// The URL of a file or folder of a data set.
std::string to_url(const HubPath& path);

bool is_hub_url(std::string_view path);

/// errors  UsageError for another URL, and if the environment forbids requests; those of HubClient
std::unique_ptr<Transport> hub_transport(const std::string& url);

/// The URLs of the files directly in a folder, sorted by their bytes.
/// errors  those of HubClient::list(); NotFoundError if there is no such folder; as hub_transport()
std::vector<std::string> hub_objects(const std::string& folder);
/// The URLs of the folders directly in a folder, each with a final slash.
/// errors  as hub_objects()
std::vector<std::string> hub_folders(const std::string& folder);

/// Lists a data set.
/// url     the user's text, for errors
/// errors  those of HubClient::list(); UsageError if the environment forbids requests
HubListing list_dataset(const HubName& name, const std::string& url);

}  // namespace portatune::io
