// libcurl, opened when the first URL is read: it needs some 30 libraries, which would make every start slower.
#pragma once

#include <curl/curl.h>

#include <string>

namespace portatune::io {

/// The functions of libcurl that are used, under their names without "curl_".
struct Curl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_url) url;
  decltype(&curl_url_cleanup) url_cleanup;
  decltype(&curl_url_set) url_set;
  decltype(&curl_url_get) url_get;
  decltype(&curl_free) free;
};

/// needed_for  what asks for it: a URL
/// errors      DeviceError if it is missing
const Curl& curl(const std::string& needed_for);

}  // namespace portatune::io
