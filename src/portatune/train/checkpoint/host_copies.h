// Copies of a training state in host memory, which a thread writes while training continues.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "portatune/tensor.h"
#include "portatune/train/checkpoint/array_files.h"

namespace portatune::train {

/// Host memory for copies of arrays. It is kept from one copy to the next: the first use of a page costs several times
/// the copying of its bytes.
class HostCopies {
 public:
  /// Allocates memory for such arrays on another thread, which uses every page once.
  explicit HostCopies(const std::vector<TensorType>& types);
  /// The same in one of several processes, which keeps only some of the arrays.
  /// is_kept  for each array, whether this process keeps its copy
  HostCopies(const std::vector<TensorType>& types, const std::vector<bool>& is_kept);

  /// Waits for the memory.
  /// returns  false if memory is short, and then copy() must not be called
  bool is_allocated();
  /// Copies the arrays, and sets NamedArray::copy of those that this process keeps. No array has to be read again.
  /// Devices may change the arrays from then on. The next call overwrites the copies. All processes call it.
  /// arrays  of the types of the constructor, in their order
  /// errors  DeviceError if the work that makes an array failed
  void copy(const std::vector<NamedArray*>& arrays);

 private:
  using Memory = std::vector<std::shared_ptr<Tensor>>;  // null for arrays that this process does not keep
  void copy_array(NamedArray& array, const std::shared_ptr<Tensor>& memory) const;

  const bool is_shared_;           // whether reading a divided array may need all processes
  std::future<Memory> allocated_;  // valid until the first use
  Memory memory_;
};

}  // namespace portatune::train
