#include "portatune/runtime/pjrt/executable.h"

#include "portatune/base/wire.h"
#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/call_error.h"

namespace portatune::pjrt {
namespace {

std::vector<TensorType> read_result_types(const PJRT_Api& api, PJRT_Executable* executable) {
  const auto types = PORTATUNE_PJRT(api, PJRT_Executable_OutputElementTypes, .executable = executable);
  const auto dims = PORTATUNE_PJRT(api, PJRT_Executable_OutputDimensions, .executable = executable);
  std::vector<TensorType> results;
  const int64_t* next = dims.dims;
  for (size_t i = 0; i < types.num_output_types; ++i) {
    const int64_t* end = next + dims.dim_sizes[i];
    results.push_back({from_pjrt(types.output_types[i]), Shape(std::vector<int64_t>(next, end))});
    next = end;
  }
  return results;
}

double value_of(const PJRT_NamedValue& property) {
  return property.type == PJRT_NamedValue_kFloat ? static_cast<double>(property.float_value)
                                                 : static_cast<double>(property.int64_value);
}

}  // namespace

void Executable::Destroy::operator()(PJRT_Executable* executable) const {
  PORTATUNE_PJRT_DESTROY(*api, PJRT_Executable_Destroy, .executable = executable);
}

Executable::Executable(const PJRT_Api& api, PJRT_Executable* handle)
    : handle_(handle, Destroy{&api}), result_types_(read_result_types(api, handle)) {}

MemoryStats Executable::memory_stats() const {
  const auto stats =
      PORTATUNE_PJRT(*handle_.get_deleter().api, PJRT_Executable_GetCompiledMemoryStats, .executable = handle_.get());
  MemoryStats result{.arguments = stats.argument_size_in_bytes,
                     .results = stats.output_size_in_bytes,
                     .aliased = stats.alias_size_in_bytes,
                     .temporary = stats.temp_size_in_bytes,
                     .code = stats.generated_code_size_in_bytes,
                     .peak = stats.peak_memory_in_bytes};
  // Some plugins leave the peak at zero; the sum of all is then an upper bound.
  if (result.peak == 0) result.peak = result.arguments + result.results - result.aliased + result.temporary;
  return result;
}

std::optional<double> Executable::cost(std::string_view name) const {
  try {
    const auto cost =
        PORTATUNE_PJRT(*handle_.get_deleter().api, PJRT_Executable_GetCostAnalysis, .executable = handle_.get());
    for (size_t i = 0; i < cost.num_properties; ++i) {
      const PJRT_NamedValue& property = cost.properties[i];
      if (std::string_view(property.name, property.name_size) == name) return value_of(property);
    }
  } catch (const CallError& error) {
    if (error.kind() != CallError::Kind::kUnimplemented) throw;
  }
  return {};
}

std::string Executable::optimized_hlo() const {
  // The first call returns the size, the second fills the memory.
  PJRT_Program program{.struct_size = PJRT_Program_STRUCT_SIZE};
  const auto fill = [&] {
    PORTATUNE_PJRT(*handle_.get_deleter().api, PJRT_Executable_OptimizedProgram, .executable = handle_.get(),
                   .program = &program);
  };
  fill();
  std::string bytes(program.code_size, '\0');
  program.code = bytes.data();
  fill();
  if (std::string_view(program.format, program.format_size) == "hlo") return bytes;
  // "hlo_with_config": HloModuleProtoWithConfig, whose first field is the module.
  constexpr int kModule = 1;
  for (WireReader message(bytes); message.next();) {
    if (message.field() == kModule) return std::string(message.bytes());
  }
  return {};
}

std::string Executable::serialize() const {
  const auto made = PORTATUNE_PJRT(*handle_.get_deleter().api, PJRT_Executable_Serialize, .executable = handle_.get());
  std::string bytes(made.serialized_bytes, made.serialized_bytes_size);
  made.serialized_executable_deleter(made.serialized_executable);
  return bytes;
}

}  // namespace portatune::pjrt
