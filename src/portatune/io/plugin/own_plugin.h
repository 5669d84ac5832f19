// Libraries that are opened on first use, because each would delay every start: Portatune's own plug-ins, and libraries
// of the system.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace portatune::io {

/// A shared library. It stays open until the process ends.
class SharedLibrary {
 public:
  /// Throws the error for a missing library or function; `given` describes it.
  using Fail = std::function<void(const std::string& given)>;

  /// fail  must outlive this object
  SharedLibrary(const char* name, const Fail& fail);

  /// Sets `function` to the library's function `name`.
  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  const char* name_;
  const Fail& fail_;
  void* handle_;
};

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

/// The interface of the one plug-in that has this type of interface, opened by the first call that succeeds.
/// Thread-safe.
/// errors  those of open_own_plugin()
template <class Api>
const Api& own_plugin(const OwnPlugin& plugin, const std::string& asked_by) {
  static std::mutex mutex;
  static const Api* api = nullptr;
  const std::lock_guard lock(mutex);
  if (api == nullptr) api = static_cast<const Api*>(open_own_plugin(plugin, asked_by));
  return *api;
}

}  // namespace portatune::io
