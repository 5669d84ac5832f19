// Device arrays as safetensors files, written by one or several processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "portatune/device.h"
#include "portatune/hub/checkpoint_manifest.h"
#include "portatune/runtime/processes/shared_directory.h"
#include "portatune/tensor.h"

namespace portatune::train {

/// An array to write.
struct NamedArray {
  std::string name;
  TensorType type;
  bool is_divided;                               ///< whether reading it needs all processes
  std::function<Tensor(Tensor memory)> to_host;  ///< DeviceArray::to_host
  std::shared_ptr<const Tensor> copy = {};       ///< the elements in host memory; null: to_host() reads them
};
/// The array of a device, which must outlive the result.
NamedArray named(std::string name, const DeviceArray& array);

/// The process that writes each array, if `writers` processes divide the arrays in parts of about equal size.
std::vector<int64_t> writers_of(const std::vector<NamedArray>& arrays, int64_t writers);

/// Writes arrays into a folder, one after the other, so that a process holds one at a time; all processes call it.
/// stem     "model": stem of the file names (see io/safetensors/tensor_files.h). A directory with one writer gets one
///          file; one with several gets as many files of about equal size and an index
/// check    check of each written array; the directory's commit() reports what it throws
/// returns  the checksum of the file that this process has written; empty if it has written none
hub::FileSums write_arrays(SharedDirectory& directory, const std::string& stem, std::vector<NamedArray> arrays,
                           const std::function<void(const NamedTensorView&)>& check = {});

}  // namespace portatune::train
