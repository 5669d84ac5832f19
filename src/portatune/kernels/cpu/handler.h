// Kernels as XLA calls them. A kernel is a function, and its parameters declare the call: operands and results with
// their element types, attributes with their names, and XlaWorkers if it uses threads. kernel<"portatune.name",
// function>() makes the handler: it checks and decodes all that XLA passes, and calls the function.
#pragma once

#include <algorithm>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

#include "portatune/base/threads/cores.h"
#include "portatune/error.h"
#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/registry.h"
#include "portatune/kernels/cpu/workers.h"
#include "portatune/tensor.h"
#include "xla/ffi/api/ffi.h"

namespace portatune::kernels {

namespace ffi = xla::ffi;

/// An operand or a result of any element type. Those below have one element type; a call with another one is an error.
using Operand = ffi::AnyBuffer;
using Result = ffi::Result<Operand>;
using F32Operand = ffi::Buffer<ffi::F32>;
using F32Result = ffi::Result<F32Operand>;
using S32Operand = ffi::Buffer<ffi::S32>;
using S32Result = ffi::Result<S32Operand>;
using U32Operand = ffi::Buffer<ffi::U32>;
using U32Result = ffi::Result<U32Operand>;

/// A string literal as a template argument.
template <size_t size>
struct Literal {
  char text[size];
  consteval Literal(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};

/// An attribute of a call, with its name in the program: Attribute<float, "eps">.
template <class T, Literal name>
class Attribute {
 public:
  Attribute(T value) : value_(value) {}
  operator T() const { return value_; }

 private:
  T value_;
};

/// XLA's thread pool during a handler's call. With more devices than cores it has a thread per device, but at most as
/// many as there are cores run at once.
class XlaWorkers final : public Workers {
 public:
  XlaWorkers(ffi::ThreadPool pool) : pool_(pool) {}

  int threads() const override {
    thread_local const int64_t cores = usable_cores();  // those of the threads of a client
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

/// Number of elements of a buffer.
template <class Buffer>
int64_t size_of(const Buffer& buffer) {
  return static_cast<int64_t>(buffer.element_count());
}

/// Size of the last axis; 1 for a scalar.
template <class Buffer>
int64_t last_size(const Buffer& buffer) {
  const auto sizes = buffer.dimensions();
  return sizes.size() == 0 ? 1 : sizes.back();
}

/// Product of all sizes except the last: the number of rows if the leading axes are flattened.
template <class Buffer>
int64_t leading_size(const Buffer& buffer) {
  int64_t product = 1;
  for (const int64_t size : buffer.dimensions().first(std::max<size_t>(buffer.dimensions().size(), 1) - 1)) {
    product *= size;
  }
  return product;
}

/// Throws a ShapeError unless `condition` holds. `expected` describes the condition; the handler adds the
/// kernel's target.
void require(bool condition, const char* expected);

/// Throws a ShapeError unless the buffer has the element type of `x` and as many elements.
void require_like(const ffi::AnyBuffer& buffer, const ffi::AnyBuffer& x, const char* expected);

/// The buffer's memory as an array of T, whose element type has been checked.
template <class T>
T* data_of(const ffi::AnyBuffer& buffer) {
  return static_cast<T*>(buffer.untyped_data());
}

/// Calls body(T()) with the C++ type of `activations`: float or Bfloat16. ShapeError for another type.
template <class Body>
void with_float_type(const ffi::AnyBuffer& activations, Body body) {
  const DType type = dtype_of(activations);
  require(type == DType::kFloat32 || type == DType::kBFloat16, "float32 or bfloat16 activations");
  if (type == DType::kBFloat16) {
    body(Bfloat16());
  } else {
    body(float());
  }
}

/// Calls body() and returns its exceptions as XLA errors, because none may cross the C interface.
template <class Body>
ffi::Error errors_of(const char* target, Body body) {
  try {
    body();
    return ffi::Error::Success();
  } catch (ShapeError& error) {
    error.set_where(target);
    return ffi::Error::InvalidArgument(error.what());
  } catch (const Error& error) {
    return ffi::Error::InvalidArgument(error.what());
  } catch (const std::exception& error) {
    return ffi::Error::Internal(error.what());
  }
}

/// The handler of a function: decodes what XLA passes by the types of the parameters.
template <class... Parameters>
auto bound(const char* target, void (*function)(Parameters...)) {
  const auto run = [=](Parameters... parameters) { return errors_of(target, [&] { function(parameters...); }); };
  if constexpr (std::is_same_v<void(Parameters...), void(ffi::RemainingArgs, ffi::RemainingRets)>) {
    return ffi::Ffi::Bind().RemainingArgs().RemainingRets().To(run);  // BindTo() does not know these two
  } else {
    return ffi::Ffi::BindTo(run);
  }
}

/// The function that XLA calls for `function`.
template <Literal target, auto function>
XLA_FFI_Error* handle(XLA_FFI_CallFrame* frame) {
  static const auto handler = bound(target.text, function);
  return handler->Call(frame);
}

/// A function as the kernel that programs call as `target`.
template <Literal target, auto function>
CpuKernel kernel() {
  return {target.text, reinterpret_cast<void*>(handle<target, function>)};
}

}  // namespace portatune::kernels

template <class T, portatune::kernels::Literal attribute>
struct xla::ffi::AttrBinding<portatune::kernels::Attribute<T, attribute>> {
  using Attr = T;
  static constexpr std::string_view name() { return attribute.text; }
};

template <>
struct xla::ffi::CtxBinding<portatune::kernels::XlaWorkers> {
  using Ctx = xla::ffi::ThreadPool;
};
