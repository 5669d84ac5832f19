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

  /// Copies the arrays, several at a time, and sets NamedArray::copy. Devices may change the arrays from then on. The
  /// next call overwrites the copies. Only for single-process training.
  /// arrays  of the types of the constructor, in their order
  /// errors  std::bad_alloc if memory is short; DeviceError if the work that makes an array failed
  void copy(const std::vector<NamedArray*>& arrays);

 private:
  using Memory = std::vector<std::shared_ptr<Tensor>>;
  std::future<Memory> allocated_;  // valid until the first copy
  Memory memory_;
};

}  // namespace portatune::train
