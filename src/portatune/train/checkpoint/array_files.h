// Arrays of devices as safetensors files, written by one process or by several.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "portatune/device.h"
#include "portatune/processes/shared_directory.h"
#include "portatune/tensor.h"
#include "portatune/train/checkpoint/checkpoint_manifest.h"

namespace portatune::train {

/// An array to write.
struct NamedArray {
  std::string name;
  TensorType type;
  bool is_divided;                  ///< then all processes take part in reading it
  std::function<Tensor()> to_host;  ///< reads the elements; may be called once
};
/// The array of a device, which must outlive the result.
NamedArray named(std::string name, const DeviceArray& array);
/// Copies of the arrays in host memory, made several at a time. Their devices may change them from then on. For a
/// process that is alone.
std::vector<NamedArray> copies_of(const std::vector<NamedArray>& arrays);

/// Writes arrays into a folder, one after the other, so that a process holds one at a time; all processes call it.
/// stem     "model": of the names of the files (see io/safetensors/tensor_files.h). They are one file, or, where the directory has
///          several writers, as many about equally long ones and an index
/// check    of what is written; what it throws, the directory's commit() tells
/// returns  the sum of the file that this process has written; empty if it has written none
FileSums write_arrays(SharedDirectory& directory, const std::string& stem, std::vector<NamedArray> arrays,
                      const std::function<void(const NamedTensorView&)>& check = {});

}  // namespace portatune::train
