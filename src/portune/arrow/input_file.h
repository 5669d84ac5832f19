// Files that the command has opened, as Arrow has files.
#pragma once

#include <arrow/io/interfaces.h>

#include <memory>

#include "portune/io/arrow_api.h"

namespace portune::arrow_plugin {

/// pool  takes the memory of what is read
std::shared_ptr<arrow::io::RandomAccessFile> input_file(const PortuneArrowInput& input, arrow::MemoryPool* pool);

}  // namespace portune::arrow_plugin
