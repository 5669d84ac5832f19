// Compilation of module text by the plugin. Private to this folder.
#pragma once

#include <string_view>

#include "portatune/runtime/pjrt/compile_options.h"

struct PJRT_Api;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;
struct PJRT_TopologyDescription;

namespace portatune::pjrt {

struct ClientState;

// Both functions throw CallError, whose message names a file with the module.

/// Compiles for the client's devices.
PJRT_LoadedExecutable* compile(const ClientState& client, std::string_view module_text, const CompileOptions& options);
/// Compiles for devices that need not be present.
PJRT_Executable* compile(const PJRT_Api& api, const PJRT_TopologyDescription* topology, std::string_view module_text,
                         const CompileOptions& options);

}  // namespace portatune::pjrt
