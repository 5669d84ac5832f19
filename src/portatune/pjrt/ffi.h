// Own functions that compiled programs call.
#pragma once

#include <string>

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

namespace portatune::pjrt {

class Plugin;

/// What XLA_FFI_DEFINE_HANDLER_SYMBOL makes.
using FfiHandler = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*);

/// Makes `handler` the target of `stablehlo.custom_call @target` in programs for the plugin's devices, until the
/// process ends. Must come before they are compiled or loaded. A handler that was built with headers newer than the
/// plugin is refused without an error; compiling then says "No FFI handler registered".
/// errors    CallError, also if the name is taken; DeviceError if the plugin has no such extension
void register_ffi(const Plugin& plugin, const std::string& target, FfiHandler handler);

}  // namespace portatune::pjrt
