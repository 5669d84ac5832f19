#include "portatune/pjrt/ffi.h"

#include "portatune/error.h"
#include "portatune/pjrt/c_api.h"
#include "portatune/pjrt/plugin.h"

// Copied from xla/pjrt/c/pjrt_c_api_ffi_extension.h, which the plugins' wheels do not contain.
struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  int traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Register_Handler_Args, traits);

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  void* type_id_register;
  void* user_data_add;
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};

namespace portatune::pjrt {
namespace {

const PJRT_FFI_Extension* find_extension(const PJRT_Api& api) {
  for (const PJRT_Extension_Base* extension = api.extension_start; extension != nullptr; extension = extension->next) {
    if (extension->type == PJRT_Extension_Type_FFI) return reinterpret_cast<const PJRT_FFI_Extension*>(extension);
  }
  return nullptr;
}

// The platform name under which XLA looks up handlers.
std::string_view ffi_platform(const Plugin& plugin) { return plugin.version().cuda == 0 ? "Host" : "CUDA"; }

}  // namespace

void register_ffi(const Plugin& plugin, const std::string& target, FfiHandler handler) {
  const PJRT_FFI_Extension* extension = find_extension(plugin.api());
  if (extension == nullptr) {
    throw DeviceError({.where = plugin.file().string(),
                       .given = "a plugin without the FFI extension",
                       .expected = "a plugin that can call our kernels, such as those for CPU and CUDA"});
  }
  const std::string_view platform = ffi_platform(plugin);
  PJRT_FFI_Register_Handler_Args args{.struct_size = PJRT_FFI_Register_Handler_Args_STRUCT_SIZE,
                                      .target_name = target.data(),
                                      .target_name_size = target.size(),
                                      .handler = reinterpret_cast<void*>(handler),
                                      .platform_name = platform.data(),
                                      .platform_name_size = platform.size(),
                                      .traits = 0};
  check(plugin.api(), extension->register_handler(&args), "PJRT_FFI_Register_Handler");
}

}  // namespace portatune::pjrt
