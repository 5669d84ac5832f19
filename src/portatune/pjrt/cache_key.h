// What a compiled program depends on.
#pragma once

#include <string>
#include <string_view>

#include "portatune/pjrt/client.h"

namespace portatune::pjrt {

struct KeyedProgram {
  std::string_view module_text;
  const CompileOptions& options;
  std::string_view version;  ///< of code that the program calls, such as own kernels
};

/// 32 hexadecimal digits that differ wherever the compiled program could: by the program, the plugin, its flags, the
/// devices, and for CPUs the machine, as the code in it is the machine's.
std::string cache_key(const Client& client, const KeyedProgram& program);

// What it depends on, in parts.

/// Hexadecimal digits that differ wherever code for this machine's processor could.
std::string processor_key();
/// What the environment tells plugins: "XLA_FLAGS=..., LIBTPU_INIT_ARGS=..."; empty if it tells nothing.
std::string plugin_flags();

}  // namespace portatune::pjrt
