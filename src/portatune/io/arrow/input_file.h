// Files that the command has opened, as Arrow files.
#pragma once

#include <arrow/io/interfaces.h>

#include <memory>

#include "portatune/io/plugin/arrow_api.h"

namespace portatune::arrow_plugin {

/// pool  provides the memory for reading
std::shared_ptr<arrow::io::RandomAccessFile> input_file(const PortatuneArrowInput& input, arrow::MemoryPool* pool);

}  // namespace portatune::arrow_plugin
