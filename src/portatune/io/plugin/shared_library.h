// System libraries that are opened on first use, because each would delay every start by one or two milliseconds.
#pragma once

#include <functional>
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

}  // namespace portatune::io
