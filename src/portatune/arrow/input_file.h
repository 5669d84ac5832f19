// Files that the command has opened, as Arrow has files.
#pragma once

#include <arrow/io/interfaces.h>

#include <memory>

#include "portatune/io/plugin/arrow_api.h"

namespace portatune::arrow_plugin {

/// pool  takes the memory of what is read
std::shared_ptr<arrow::io::RandomAccessFile> input_file(const PortatuneArrowInput& input, arrow::MemoryPool* pool);

}  // namespace portatune::arrow_plugin
