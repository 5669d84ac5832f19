// Functions of ours that compiled programs call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct PJRT_Api;
struct PJRT_ExecuteContext;
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

/// Registers a type of data that executions pass to handlers, and returns its number, under which a handler finds them.
/// errors    as register_ffi()
int64_t register_ffi_type(const Plugin& plugin, const std::string& name);

/// Data that executions pass to the handlers: see LoadedExecutable::set_context().
class ExecuteContext {
 public:
  /// type    result of register_ffi_type()
  /// data    of that type; shared, because an execution may outlive its caller
  /// errors  CallError
  ExecuteContext(const Plugin& plugin, int64_t type, std::shared_ptr<void> data);

  /// For use inside this folder.
  PJRT_ExecuteContext* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    const PJRT_Api* api;
    void operator()(PJRT_ExecuteContext* context) const;
  };
  const std::shared_ptr<void> data_;
  const std::unique_ptr<PJRT_ExecuteContext, Destroy> handle_;
};

}  // namespace portatune::pjrt
