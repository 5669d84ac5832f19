// Files on this machine.
#pragma once

#include <memory>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

/// The path of standard input.
inline constexpr const char* kStandardInput = "/dev/stdin";

/// Opens a local file. A pipe, such as standard input ("/dev/stdin"), is read to its end and then behaves like a file.
/// errors  NotFoundError; IoError, also if it is neither a regular file nor a pipe
std::shared_ptr<const RandomAccessFile> open_local(const std::string& path, Access access);

}  // namespace portatune::io
