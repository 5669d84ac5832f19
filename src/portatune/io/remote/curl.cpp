#include "portatune/io/remote/curl.h"

#include <mutex>
#include <optional>

#include "portatune/error.h"
#include "portatune/io/plugin/own_plugin.h"

namespace portatune::io {
namespace {

constexpr const char* kLibrary = "libcurl.so.4";

[[noreturn]] void fail(const std::string& needed_for, const std::string& given) {
  throw DeviceError({.where = needed_for,
                     .given = given,
                     .expected = std::string(kLibrary) + ", version 7.85 or later, to read this URL",
                     .fix = "apt-get install libcurl4"});
}

Curl load(const std::string& needed_for) {
  const SharedLibrary::Fail on_failure = [&](const std::string& given) { fail(needed_for, given); };
  const SharedLibrary library(kLibrary, on_failure);
  Curl curl;
  library.find(curl.global_init, "curl_global_init");
  library.find(curl.easy_init, "curl_easy_init");
  library.find(curl.easy_cleanup, "curl_easy_cleanup");
  library.find(curl.easy_reset, "curl_easy_reset");
  library.find(curl.easy_setopt, "curl_easy_setopt");
  library.find(curl.easy_perform, "curl_easy_perform");
  library.find(curl.easy_getinfo, "curl_easy_getinfo");
  library.find(curl.easy_strerror, "curl_easy_strerror");
  library.find(curl.url, "curl_url");
  library.find(curl.url_cleanup, "curl_url_cleanup");
  library.find(curl.url_set, "curl_url_set");
  library.find(curl.url_get, "curl_url_get");
  library.find(curl.free, "curl_free");
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

}  // namespace portatune::io
