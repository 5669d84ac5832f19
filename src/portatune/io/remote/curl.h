// libcurl, opened on first use: it needs some 30 libraries, which would slow down every start.
#pragma once

#include <curl/curl.h>

#include <string>

namespace portatune::io {

/// The functions of libcurl that Portatune uses, named without "curl_".
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

/// needed_for  the URL that needs it, for errors
/// errors      DeviceError if libcurl is missing
const Curl& curl(const std::string& needed_for);

}  // namespace portatune::io
