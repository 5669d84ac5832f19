#include "portatune/runtime/pjrt/c_api.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/runtime/pjrt/call_error.h"

namespace portatune::pjrt {
namespace {

constexpr std::array<const char*, 17> kCodeNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

PJRT_Error_Code code_of(const PJRT_Api& api, const PJRT_Error* error) {
  PJRT_Error_GetCode_Args args{.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE, .error = error};
  if (PJRT_Error* failure = api.PJRT_Error_GetCode(&args)) {
    discard(api, failure);
    return PJRT_Error_Code_UNKNOWN;
  }
  return args.code;
}

std::string message_of(const PJRT_Api& api, const PJRT_Error* error) {
  PJRT_Error_Message_Args args{.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api.PJRT_Error_Message(&args);
  return {args.message, args.message_size};
}

CallError::Kind kind_of(PJRT_Error_Code code, std::string_view message) {
  // The CPU plugin reports it only in the message: "INTERNAL: ... Out of memory allocating N bytes".
  if (message.find("Out of memory allocating") != std::string_view::npos) return CallError::Kind::kOutOfMemory;
  switch (code) {
    case PJRT_Error_Code_RESOURCE_EXHAUSTED:
      return CallError::Kind::kOutOfMemory;
    case PJRT_Error_Code_UNIMPLEMENTED:
      return CallError::Kind::kUnimplemented;
    default:
      return CallError::Kind::kOther;
  }
}

constexpr std::array<std::pair<DType, PJRT_Buffer_Type>, 12> kElementTypes = {{
    {DType::kBool, PJRT_Buffer_Type_PRED},
    {DType::kInt8, PJRT_Buffer_Type_S8},
    {DType::kUInt8, PJRT_Buffer_Type_U8},
    {DType::kInt16, PJRT_Buffer_Type_S16},
    {DType::kInt32, PJRT_Buffer_Type_S32},
    {DType::kUInt32, PJRT_Buffer_Type_U32},
    {DType::kInt64, PJRT_Buffer_Type_S64},
    {DType::kUInt64, PJRT_Buffer_Type_U64},
    {DType::kFloat16, PJRT_Buffer_Type_F16},
    {DType::kBFloat16, PJRT_Buffer_Type_BF16},
    {DType::kFloat32, PJRT_Buffer_Type_F32},
    {DType::kFloat64, PJRT_Buffer_Type_F64},
}};

// Sets the value's type, pointer and size.
struct SetValue {
  PJRT_NamedValue& target;

  void operator()(bool value) const {
    target.type = PJRT_NamedValue_kBool;
    target.bool_value = value;
    target.value_size = 1;
  }
  void operator()(int64_t value) const {
    target.type = PJRT_NamedValue_kInt64;
    target.int64_value = value;
    target.value_size = 1;
  }
  void operator()(float value) const {
    target.type = PJRT_NamedValue_kFloat;
    target.float_value = value;
    target.value_size = 1;
  }
  void operator()(const std::string& value) const {
    target.type = PJRT_NamedValue_kString;
    target.string_value = value.data();
    target.value_size = value.size();
  }
  void operator()(const std::vector<int64_t>& value) const {
    target.type = PJRT_NamedValue_kInt64List;
    target.int64_array_value = value.data();
    target.value_size = value.size();
  }
};

}  // namespace

void check(const PJRT_Api& api, PJRT_Error* error, const char* call) {
  if (error == nullptr) return;
  const PJRT_Error_Code code = code_of(api, error);
  const std::string message = message_of(api, error);
  discard(api, error);
  const char* name = code < kCodeNames.size() ? kCodeNames[code] : "UNKNOWN";
  throw CallError({.where = std::string(call) + ": " + name + ": " + message}, kind_of(code, message));
}

void discard(const PJRT_Api& api, PJRT_Error* error) noexcept {
  if (error == nullptr) return;
  PJRT_Error_Destroy_Args args{.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = error};
  api.PJRT_Error_Destroy(&args);
}

void throw_not_offered(const PJRT_Api& api, const char* call) {
  const PJRT_Api_Version& version = api.pjrt_api_version;
  throw DeviceError({.where = call,
                     .given = "a plugin of PJRT " + std::to_string(version.major_version) + "." +
                              std::to_string(version.minor_version) + " without this function",
                     .expected = "a newer plugin"});
}

PJRT_Buffer_Type to_pjrt(DType dtype) {
  for (const auto& [ours, theirs] : kElementTypes) {
    if (ours == dtype) return theirs;
  }
  return PJRT_Buffer_Type_INVALID;
}

DType from_pjrt(PJRT_Buffer_Type type) {
  for (const auto& [ours, theirs] : kElementTypes) {
    if (theirs == type) return ours;
  }
  throw DeviceError({.where = "element type of a device buffer",
                     .given = "PJRT_Buffer_Type " + std::to_string(type),
                     .expected = "bool, an integer of 8 to 64 bits, float16, bfloat16, float32 or float64"});
}

std::vector<PJRT_NamedValue> to_pjrt(const Options& options) {
  std::vector<PJRT_NamedValue> values;
  for (const auto& [name, value] : options) {
    PJRT_NamedValue& target = values.emplace_back();
    target.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    target.name = name.data();
    target.name_size = name.size();
    std::visit(SetValue{target}, value);
  }
  return values;
}

Device describe(const PJRT_Api& api, PJRT_DeviceDescription* description) {
  const auto id = PORTATUNE_PJRT(api, PJRT_DeviceDescription_Id, .device_description = description);
  const auto kind = PORTATUNE_PJRT(api, PJRT_DeviceDescription_Kind, .device_description = description);
  const auto text = PORTATUNE_PJRT(api, PJRT_DeviceDescription_ToString, .device_description = description);
  const auto process = PORTATUNE_PJRT(api, PJRT_DeviceDescription_ProcessIndex, .device_description = description);
  return {.id = id.id,
          .kind = {kind.device_kind, kind.device_kind_size},
          .description = {text.to_string, text.to_string_size},
          .process = process.process_index};
}

}  // namespace portatune::pjrt
