// Files of this machine.
#pragma once

#include <memory>

#include "portatune/io/random_access_file.h"

namespace portatune::io {

/// errors  NotFoundError; IoError, also for what is not a regular file
std::shared_ptr<const RandomAccessFile> open_local(const std::string& path, Access access);

}  // namespace portatune::io
