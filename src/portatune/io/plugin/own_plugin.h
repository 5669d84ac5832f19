// Portatune's own plug-ins: libraries with large dependencies, opened only on first use.
#pragma once

#include <cstdint>
#include <string>

namespace portatune::io {

struct OwnPlugin {
  const char* file;        ///< file name: "libportatune_arrow.so"
  const char* variable;    ///< environment variable that may name another file
  const char* function;    ///< function that returns the interface: a struct that begins with its version, an int32
  int32_t version;         ///< required version of the interface
  const char* needed_for;  ///< reason, for errors: "Apache Arrow reads this kind of file"
  const char* fix;         ///< for errors: how a user of the wheel gets the libraries that the plug-in needs
};

/// Opens a plug-in next to the command or in ../lib/portatune, and returns its interface. The plug-in stays open.
/// asked_by  name of the file or option that needs it, for errors
/// errors    DeviceError if it is missing or has another version
const void* open_own_plugin(const OwnPlugin& plugin, const std::string& asked_by);

}  // namespace portatune::io
