// From module text to the plugin's executables. Private to this folder.
#pragma once

#include <string_view>

#include "portatune/pjrt/compile_options.h"

struct PJRT_Api;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;
struct PJRT_TopologyDescription;

namespace portatune::pjrt {

struct ClientState;

// Both throw CallError, whose message names a file that the module has been written to.

/// For the client's devices.
PJRT_LoadedExecutable* compile(const ClientState& client, std::string_view module_text, const CompileOptions& options);
/// For devices that need not be present.
PJRT_Executable* compile(const PJRT_Api& api, const PJRT_TopologyDescription* topology, std::string_view module_text,
                         const CompileOptions& options);

}  // namespace portatune::pjrt
