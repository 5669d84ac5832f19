// A library that looks like a plugin of the versions that the build sets, without working functions.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pjrt_c_api.h"

namespace {

constexpr std::array<int64_t, 3> kStablehlo = {1, FAKE_STABLEHLO_MINOR, 0};
constexpr std::array<int64_t, 3> kStablehloMinimum = {0, 9, 0};

PJRT_NamedValue version(std::string_view name, const std::array<int64_t, 3>& numbers) {
  PJRT_NamedValue value{.struct_size = PJRT_NamedValue_STRUCT_SIZE};
  value.name = name.data();
  value.name_size = name.size();
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = numbers.data();
  value.value_size = numbers.size();
  return value;
}

PJRT_Error* initialize(PJRT_Plugin_Initialize_Args*) { return nullptr; }

PJRT_Error* attributes(PJRT_Plugin_Attributes_Args* args) {
  static const std::array<PJRT_NamedValue, 2> values = {version("stablehlo_current_version", kStablehlo),
                                                        version("stablehlo_minimum_version", kStablehloMinimum)};
  args->attributes = values.data();
  args->num_attributes = values.size();
  return nullptr;
}

// The table ends before PJRT_Client_Create, as in a plugin that is older than that function.
const PJRT_Api kApi = {.struct_size = offsetof(PJRT_Api, PJRT_Client_Create),
                       .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                                            .major_version = 0,
                                            .minor_version = FAKE_PJRT_MINOR},
                       .PJRT_Plugin_Initialize = initialize,
                       .PJRT_Plugin_Attributes = attributes};

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() { return &kApi; }
