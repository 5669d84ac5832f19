// Copies of pipes, whose bytes can be read only once.
#pragma once

#include <string>

#include "portatune/base/files/file_descriptor.h"

namespace portatune::io {

/// Returns whether the descriptor belongs to a pipe, a socket or a terminal.
bool is_pipe(const FileDescriptor& file);

/// An unnamed temporary file with all bytes of a pipe, for repeated reading at any offset. The first call for a pipe
/// reads it to its end; later calls return the same file.
/// path    path of the pipe, for errors
/// errors  IoError; Stopped
FileDescriptor copy_of_pipe(FileDescriptor pipe, const std::string& path);

}  // namespace portatune::io
