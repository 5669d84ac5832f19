#include "portune/io/curl.h"

#include <dlfcn.h>

#include <mutex>
#include <optional>

#include "portune/error.h"

namespace portune::io {
namespace {

constexpr const char* kLibrary = "libcurl.so.4";

[[noreturn]] void fail(const std::string& needed_for, const std::string& given) {
  throw DeviceError({.where = needed_for,
                     .given = given,
                     .expected = std::string(kLibrary) + " of version 7.85 or later, which reads such URLs",
                     .fix = "apt-get install libcurl4"});
}

Curl load(const std::string& needed_for) {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(needed_for, dlerror());
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) fail(needed_for, std::string(kLibrary) + " without " + name);
  };
  Curl curl;
  find(curl.global_init, "curl_global_init");
  find(curl.easy_init, "curl_easy_init");
  find(curl.easy_cleanup, "curl_easy_cleanup");
  find(curl.easy_reset, "curl_easy_reset");
  find(curl.easy_setopt, "curl_easy_setopt");
  find(curl.easy_perform, "curl_easy_perform");
  find(curl.easy_getinfo, "curl_easy_getinfo");
  find(curl.easy_strerror, "curl_easy_strerror");
  find(curl.url, "curl_url");
  find(curl.url_cleanup, "curl_url_cleanup");
  find(curl.url_set, "curl_url_set");
  find(curl.url_get, "curl_url_get");
  find(curl.free, "curl_free");
  curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

}  // namespace

const Curl& curl(const std::string& needed_for) {
  static std::mutex mutex;
  static std::optional<Curl> loaded;
  const std::lock_guard lock(mutex);
  if (!loaded) loaded = load(needed_for);
  return *loaded;
}

}  // namespace portune::io
