// Locks between processes on open files and folders.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/base/file_descriptor.h"

namespace portatune {

enum class FileLock {
  kHeld,           ///< this process holds the lock until it closes the file or ends for any reason
  kHeldByAnother,  ///< another process holds the lock, or another open file of this process
  kUnsupported     ///< the file system has no locks, so no process can know whether a writer is alive
};

/// Tries to lock an open file or folder. Does not wait.
FileLock try_lock(const FileDescriptor& file);

/// Returns whether an open file or folder has been removed from its folder.
bool is_removed(const FileDescriptor& file);

/// Locks a file or folder of this user whose writer is dead. Returns nothing if it is missing, is a link, has another
/// owner, is locked by a live process, or if the file system has no locks.
/// flags  flags of open(2), such as O_DIRECTORY
std::optional<FileDescriptor> lock_abandoned(const std::filesystem::path& path, int flags = 0);

}  // namespace portatune
