#include "portatune/runtime/pjrt/ffi.h"

#include "portatune/error.h"
#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

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

struct PJRT_FFI_Type_Info {
  void (*deleter)(void* object);
};

struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;  // in-out
  const PJRT_FFI_Type_Info* type_info;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Type_Register_Args, type_info);

struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
};

struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_UserData_Add_Args, user_data);

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args* args);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};

namespace portatune::pjrt {
namespace {

const PJRT_FFI_Extension& extension_of(const Plugin& plugin) {
  for (auto* extension = plugin.api().extension_start; extension != nullptr; extension = extension->next) {
    if (extension->type == PJRT_Extension_Type_FFI) return *reinterpret_cast<const PJRT_FFI_Extension*>(extension);
  }
  throw DeviceError({.where = plugin.file().string(),
                     .given = "a plugin without the FFI extension",
                     .expected = "a plugin that can call our kernels, such as those for CPU and CUDA"});
}

// The platform name under which XLA looks up handlers.
std::string_view ffi_platform(const Plugin& plugin) { return plugin.version().cuda == 0 ? "Host" : "CUDA"; }

}  // namespace

void register_ffi(const Plugin& plugin, const std::string& target, FfiHandler handler) {
  const std::string_view platform = ffi_platform(plugin);
  PJRT_FFI_Register_Handler_Args args{.struct_size = PJRT_FFI_Register_Handler_Args_STRUCT_SIZE,
                                      .target_name = target.data(),
                                      .target_name_size = target.size(),
                                      .handler = reinterpret_cast<void*>(handler),
                                      .platform_name = platform.data(),
                                      .platform_name_size = platform.size(),
                                      .traits = 0};
  check(plugin.api(), extension_of(plugin).register_handler(&args), "PJRT_FFI_Register_Handler");
}

int64_t register_ffi_type(const Plugin& plugin, const std::string& name) {
  const PJRT_FFI_Type_Info type{.deleter = nullptr};  // the caller owns the data
  PJRT_FFI_Type_Register_Args args{.struct_size = PJRT_FFI_Type_Register_Args_STRUCT_SIZE,
                                   .type_name = name.data(),
                                   .type_name_size = name.size(),
                                   .type_info = &type};
  check(plugin.api(), extension_of(plugin).type_register(&args), "PJRT_FFI_Type_Register");
  return args.type_id;
}

void ExecuteContext::Destroy::operator()(PJRT_ExecuteContext* context) const {
  PORTATUNE_PJRT_DESTROY(*api, PJRT_ExecuteContext_Destroy, .context = context);
}

ExecuteContext::ExecuteContext(const Plugin& plugin, int64_t type, std::shared_ptr<void> data)
    : data_(std::move(data)),
      handle_(PORTATUNE_PJRT(plugin.api(), PJRT_ExecuteContext_Create).context, Destroy{&plugin.api()}) {
  PJRT_FFI_UserData_Add_Args args{.struct_size = PJRT_FFI_UserData_Add_Args_STRUCT_SIZE,
                                  .context = handle(),
                                  .user_data = {.type_id = type, .data = data_.get()}};
  check(plugin.api(), extension_of(plugin).user_data_add(&args), "PJRT_FFI_UserData_Add");
}

}  // namespace portatune::pjrt
