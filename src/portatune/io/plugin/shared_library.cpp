#include "portatune/io/plugin/shared_library.h"

#include <dlfcn.h>

namespace portatune::io {

SharedLibrary::SharedLibrary(const char* name, const Fail& fail)
    : name_(name), fail_(fail), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) fail_(dlerror());
}

void* SharedLibrary::address_of(const char* name) const {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) fail_(std::string(name_) + " without " + name);
  return address;
}

}  // namespace portatune::io
