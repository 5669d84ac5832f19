// Functions of ours that compiled programs call.
#pragma once

#include <string>

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

namespace portatune::pjrt {

class Plugin;

/// A handler that XLA_FFI_DEFINE_HANDLER_SYMBOL defines.
using FfiHandler = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*);

/// Makes `handler` the target of `stablehlo.custom_call @target` in programs for the plugin's devices, until the
/// process ends. Call it before such programs are compiled or loaded. A plugin silently refuses a handler that was
/// built with newer headers; compiling then fails with "No FFI handler registered".
/// errors    CallError, also if the name is taken; DeviceError if the plugin has no FFI extension
void register_ffi(const Plugin& plugin, const std::string& target, FfiHandler handler);

}  // namespace portatune::pjrt
