// Libraries of the system that are opened when they are first needed: each would make every start slower by a
// millisecond or two.
#pragma once

#include <functional>
#include <string>

namespace portatune::io {

/// Stays open as long as the process.
class SharedLibrary {
 public:
  /// Throws what is told where the library, or a function of it, is not there; `given` says what is.
  using Fail = std::function<void(const std::string& given)>;

  /// fail  must outlive this object
  SharedLibrary(const char* name, const Fail& fail);

  /// Sets `function` to that of the library.
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

}  // namespace portatune::io
