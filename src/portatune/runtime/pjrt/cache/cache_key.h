// The key of a compiled program in the executable cache.
#pragma once

#include <string>
#include <string_view>

#include "portatune/runtime/pjrt/client.h"

namespace portatune::pjrt {

struct KeyedProgram {
  std::string_view module_text;
  const CompileOptions& options;
  std::string_view version;  ///< version of code that the program calls, such as our kernels
};

/// A key of 32 hexadecimal digits. It depends on the program, the plugin, its flags, the devices and, for CPUs, on the
/// machine, whose code the compiled program contains.
std::string cache_key(const Client& client, const KeyedProgram& program);

// Parts of the key.

/// A hash in hexadecimal digits of all properties of this machine's processor that affect compiled code.
std::string processor_key();
/// Flags for plugins from the environment: "XLA_FLAGS=..., LIBTPU_INIT_ARGS=..."; empty if there are none.
std::string plugin_flags();

}  // namespace portatune::pjrt
