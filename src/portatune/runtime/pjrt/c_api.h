// Calls into the PJRT C API. Private to this folder: only its .cpp files include it.
#pragma once

#include <cstddef>
#include <vector>

#include "pjrt_c_api.h"
#include "portatune/runtime/pjrt/client.h"
#include "portatune/tensor.h"

namespace portatune::pjrt {

/// Throws CallError if there is an error, and frees it.
void check(const PJRT_Api& api, PJRT_Error* error, const char* call);
/// Frees an error that cannot be handled, in destructors and callbacks.
void discard(const PJRT_Api& api, PJRT_Error* error) noexcept;

/// Throws a DeviceError because the plugin is too old to have the function `call`.
[[noreturn]] void throw_not_offered(const PJRT_Api& api, const char* call);

template <class Args>
Args invoke(const PJRT_Api& api, PJRT_Error* (*PJRT_Api::*function)(Args*), size_t offset, const char* call,
            Args args) {
  if (offset >= api.struct_size || api.*function == nullptr) throw_not_offered(api, call);
  check(api, (api.*function)(&args), call);
  return args;
}

// PORTATUNE_PJRT(api, PJRT_Client_PlatformName, .client = client).platform_name
//   calls the function with these members of its arguments, the others zero, and returns the filled arguments.
//   Throws CallError with the function's name; DeviceError if the plugin lacks the function.
#define PORTATUNE_PJRT(api, function, ...)                                                       \
  ::portatune::pjrt::invoke((api), &PJRT_Api::function, offsetof(PJRT_Api, function), #function, \
                            function##_Args{.struct_size = function##_Args_STRUCT_SIZE __VA_OPT__(, ) __VA_ARGS__})

// The same for destructors of handles: errors are discarded.
#define PORTATUNE_PJRT_DESTROY(api, function, ...)                                               \
  do {                                                                                           \
    function##_Args args{.struct_size = function##_Args_STRUCT_SIZE __VA_OPT__(, ) __VA_ARGS__}; \
    ::portatune::pjrt::discard((api), (api).function(&args));                                    \
  } while (false)

PJRT_Buffer_Type to_pjrt(DType dtype);
/// errors  DeviceError for an element type that Portatune does not support, such as a complex number
DType from_pjrt(PJRT_Buffer_Type type);

/// The options in the form of the C API. They point into `options`.
std::vector<PJRT_NamedValue> to_pjrt(const Options& options);

Device describe(const PJRT_Api& api, PJRT_DeviceDescription* description);

}  // namespace portatune::pjrt
