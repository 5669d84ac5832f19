// The lock of an output folder: only one run writes to it.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/io/file/lock_file.h"
#include "portatune/run.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::run {

using train::kLockFile;  ///< name of the lock file in the folder

/// Holds the folder while the object lives. Creates it if it is missing, and removes it again if it stays empty. Warns
/// if the file system has no locks, or if the lock file cannot be removed.
class OutputLock {
 public:
  /// errors  OutputError with the id of the process if another run writes there; IoError
  OutputLock(const std::filesystem::path& folder, Events& events);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  const std::filesystem::path folder_;
  Events& events_;
  const bool made_;
  std::optional<io::LockFile> file_;
};

}  // namespace portatune::run
