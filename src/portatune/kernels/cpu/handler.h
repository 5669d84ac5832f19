// Code shared by the FFI handlers: XLA's threads, checked access to buffers, and errors as XLA reports them.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "portatune/base/thread_pool.h"
#include "portatune/error.h"
#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"
#include "portatune/tensor.h"
#include "xla/ffi/api/ffi.h"

namespace portatune::kernels {

namespace ffi = xla::ffi;
using Operand = ffi::AnyBuffer;
using Result = ffi::Result<ffi::AnyBuffer>;

/// XLA's thread pool during a handler's call. With more devices than cores it has a thread per device, but at most as
/// many as there are cores run at once.
class XlaWorkers final : public Workers {
 public:
  explicit XlaWorkers(ffi::ThreadPool pool) : pool_(pool) {}

  int threads() const override {
    static const int64_t cores = usable_cores();
    return static_cast<int>(std::clamp<int64_t>(pool_.num_threads(), 1, cores));
  }
  void submit(std::function<void()> task) const override {
    ffi::ThreadPool pool = pool_;  // Schedule() is not const
    pool.Schedule(std::move(task));
  }

 private:
  ffi::ThreadPool pool_;
};

/// Element type of a buffer. UsageError if the kernels do not support it.
DType dtype_of(const ffi::AnyBuffer& buffer);

/// Size of the last axis; 1 for a scalar.
int64_t last_size(const ffi::AnyBuffer& buffer);
/// Product of all sizes except the last: the number of rows if the leading axes are flattened.
int64_t leading_size(const ffi::AnyBuffer& buffer);

/// Throws a ShapeError that names the call's target unless `condition` holds. `expected` describes the condition.
void require(bool condition, const char* target, const char* expected);

/// Throws a ShapeError unless the buffer has this element type and number of elements.
void require_array(const ffi::AnyBuffer& buffer, DType type, int64_t size, const char* target, const char* expected);

/// Calls body(T()) with the C++ type of `activations`: float or Bfloat16. ShapeError for another type.
template <class Body>
void with_float_type(const ffi::AnyBuffer& activations, const char* target, Body body) {
  const DType type = dtype_of(activations);
  require(type == DType::kFloat32 || type == DType::kBFloat16, target, "float32 or bfloat16 activations");
  if (type == DType::kBFloat16) {
    body(Bfloat16());
  } else {
    body(float());
  }
}

/// The buffer's memory as an array of T, whose DType has been checked.
template <class T>
T* data_of(const ffi::AnyBuffer& buffer) {
  return static_cast<T*>(buffer.untyped_data());
}

/// Runs a handler's body and returns its exceptions as XLA errors, because none may cross the C interface.
template <class Body>
ffi::Error run_handler(Body body) {
  try {
    body();
    return ffi::Error::Success();
  } catch (const Error& error) {
    return ffi::Error::InvalidArgument(error.what());
  } catch (const std::exception& error) {
    return ffi::Error::Internal(error.what());
  }
}

}  // namespace portatune::kernels
