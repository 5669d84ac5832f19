// Device arrays as safetensors files, written by one or several processes.
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
  bool is_divided;                  ///< whether reading it needs all processes
  std::function<Tensor()> to_host;  ///< reads the elements; may be called once
};
/// The array of a device, which must outlive the result.
NamedArray named(std::string name, const DeviceArray& array);
/// Copies of the arrays in host memory, made several at a time. The devices may change the originals afterwards. Only
/// for single-process training.
std::vector<NamedArray> copies_of(const std::vector<NamedArray>& arrays);

/// Writes arrays into a folder, one after the other, so that a process holds one at a time; all processes call it.
/// stem     "model": stem of the file names (see io/safetensors/tensor_files.h). A directory with one writer gets one
///          file; one with several gets as many files of about equal size and an index
/// check    check of each written array; the directory's commit() reports what it throws
/// returns  the checksum of the file that this process has written; empty if it has written none
FileSums write_arrays(SharedDirectory& directory, const std::string& stem, std::vector<NamedArray> arrays,
                      const std::function<void(const NamedTensorView&)>& check = {});

}  // namespace portatune::train
