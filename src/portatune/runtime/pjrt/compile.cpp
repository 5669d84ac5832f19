#include "portatune/runtime/pjrt/compile.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "portatune/runtime/pjrt/client_state.h"

namespace portatune::pjrt {
namespace {

constexpr std::string_view kFormat = "mlir";

PJRT_Program program_of(std::string_view module_text) {
  // `code` is not const because other functions write to it; compilers only read it.
  return {.struct_size = PJRT_Program_STRUCT_SIZE,
          .code = const_cast<char*>(module_text.data()),
          .code_size = module_text.size(),
          .format = kFormat.data(),
          .format_size = kFormat.size()};
}

// Returns a description of the module for a message: the file, or the reason why there is none.
std::string write_for_inspection(std::string_view module_text) {
  std::error_code none;
  std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  if (none) folder = "/tmp";
  std::string file = (folder / "portatune-module-XXXXXX.mlir").string();
  const int descriptor = mkstemps(file.data(), 5);
  if (descriptor < 0) return "a module that could not be written to " + folder.string();
  close(descriptor);
  std::ofstream(file, std::ios::binary) << module_text;
  return "the module in " + file;
}

// Calls `compile`, and adds a file with the module to its error.
template <class Compile>
auto with_module_in_error(std::string_view module_text, const Compile& compile) {
  try {
    return compile();
  } catch (const CallError& error) {
    Report report = error.report();
    report.given = write_for_inspection(module_text);
    throw CallError(std::move(report), error.kind());
  }
}

}  // namespace

PJRT_LoadedExecutable* compile(const ClientState& client, std::string_view module_text, const CompileOptions& options) {
  const PJRT_Program program = program_of(module_text);
  const std::string wire = serialize(options);
  return with_module_in_error(module_text, [&] {
    return PORTATUNE_PJRT(client.api, PJRT_Client_Compile, .client = client.client, .program = &program,
                          .compile_options = wire.data(), .compile_options_size = wire.size())
        .executable;
  });
}

PJRT_Executable* compile(const PJRT_Api& api, const PJRT_TopologyDescription* topology, std::string_view module_text,
                         const CompileOptions& options) {
  const PJRT_Program program = program_of(module_text);
  const std::string wire = serialize(options);
  return with_module_in_error(module_text, [&] {
    return PORTATUNE_PJRT(api, PJRT_Compile, .topology = topology, .program = &program, .compile_options = wire.data(),
                          .compile_options_size = wire.size())
        .executable;
  });
}

}  // namespace portatune::pjrt
