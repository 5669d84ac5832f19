// Locks between processes on open files and folders.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/base/file_descriptor.h"

namespace portatune {

enum class FileLock {
  kHeld,           ///< by this process, until it closes the file or ends, however it ends
  kHeldByAnother,  ///< by another process, or by another open file of this one
  kUnsupported     ///< the file system has no locks: nobody can tell whether a writer is alive
};

/// Tries to lock an open file or folder, without waiting.
FileLock try_lock(const FileDescriptor& file);

/// Whether an open file or folder has no name any more.
bool is_removed(const FileDescriptor& file);

/// The lock on a file or folder of this user whose writer is dead. Nothing if it is not there, is a link, has another
/// owner, is held by a live process, or if the file system has no locks.
/// flags  of open(2), such as O_DIRECTORY
std::optional<FileDescriptor> lock_abandoned(const std::filesystem::path& path, int flags = 0);

}  // namespace portatune
