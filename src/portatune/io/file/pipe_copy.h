// Pipes, whose bytes can be read only once.
#pragma once

#include <string>

#include "portatune/base/file_descriptor.h"

namespace portatune::io {

/// Whether the descriptor is that of a pipe, a socket or a terminal.
bool is_pipe(const FileDescriptor& file);

/// A temporary file without a name that holds all bytes of a pipe: the data are read several times, and at any offset.
/// The first call for a pipe reads it to its end; later calls return the same file.
/// path    the pipe's, for errors
/// errors  IoError; Stopped
FileDescriptor copy_of_pipe(FileDescriptor pipe, const std::string& path);

}  // namespace portatune::io
