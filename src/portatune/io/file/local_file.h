// Files of this machine.
#pragma once

#include <memory>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

/// A pipe, standard input ("/dev/stdin") for instance, is read to its end and then behaves like a file.
/// errors  NotFoundError; IoError, also for what is neither a regular file nor a pipe
std::shared_ptr<const RandomAccessFile> open_local(const std::string& path, Access access);

}  // namespace portatune::io
