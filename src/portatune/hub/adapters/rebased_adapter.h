// An adapter with another base model than the one that its adapter_config.json names.
#pragma once

#include <filesystem>

#include "portatune/base/files/file_descriptor.h"

namespace portatune::hub {

/// A temporary folder that is an adapter for another base model: links to the files of an adapter, beside an
/// adapter_config.json with the path of that model. The destructor removes the folder; after a kill, the next object of
/// this user does.
class RebasedAdapter {
 public:
  /// base    folder of a model
  /// errors  UsageError for a folder without an adapter, and if `base` is an adapter; those of read_adapter();
  ///         IoError if the folder cannot be written
  RebasedAdapter(const std::filesystem::path& adapter, const std::filesystem::path& base);
  ~RebasedAdapter();
  RebasedAdapter(const RebasedAdapter&) = delete;
  RebasedAdapter& operator=(const RebasedAdapter&) = delete;

  /// Its name is that of the adapter's folder.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  RebasedAdapter();  // an empty temporary folder

  std::filesystem::path temporary_, folder_;
  FileDescriptor lock_;  // shows other processes that the folder is in use
};

}  // namespace portatune::hub
