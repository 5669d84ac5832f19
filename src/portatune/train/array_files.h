// Arrays of devices as safetensors files, written by one process or by several.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "portatune/device.h"
#include "portatune/processes/shared_directory.h"
#include "portatune/tensor.h"

namespace portatune::train {

struct NamedArray {
  std::string name;
  const DeviceArray* array;
};

/// Writes arrays into a folder, one after the other, so that a process holds one at a time; all processes call it.
/// stem   "model": of the names of the files (see io/tensor_files.h). They are one file, or, where the directory has
///        several writers, as many about equally long ones and an index
/// check  of what is written; what it throws, the directory's commit() tells
void write_arrays(SharedDirectory& directory, const std::string& stem, std::vector<NamedArray> arrays,
                  const std::function<void(const NamedTensorView&)>& check = {});

}  // namespace portatune::train
