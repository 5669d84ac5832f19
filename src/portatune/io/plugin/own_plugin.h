// Portatune's own plug-ins: libraries that bring in much of the system, and so are opened only when they are needed.
#pragma once

#include <cstdint>
#include <string>

namespace portatune::io {

struct OwnPlugin {
  const char* file;        ///< "libportatune_arrow.so"
  const char* variable;    ///< of the environment, which may name another one
  const char* function;    ///< which gives its interface, a struct that begins with its version, an int32
  int32_t version;         ///< of the interface
  const char* needed_for;  ///< "Apache Arrow reads this kind of file"
};

/// The interface of a plug-in, which is beside the command or in ../lib/portatune, and stays open.
/// asked_by  what cannot be done without it: a file's path
/// errors    DeviceError if it is missing or of another version
const void* open_own_plugin(const OwnPlugin& plugin, const std::string& asked_by);

}  // namespace portatune::io
