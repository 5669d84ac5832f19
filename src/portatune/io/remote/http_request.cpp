#include "portatune/io/remote/http_request.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "portatune/base/environment.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/base/text/utf8.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/remote/url.h"

namespace portatune::io {
namespace {

constexpr long kConnectSeconds = 10, kStallSeconds = 20, kStallBytesPerSecond = 1024;

struct Receiving {
  HttpAnswer answer;
  size_t max_bytes;  // maximal size of the body
};

// libcurl calls the following three functions.

size_t take_header(char* bytes, size_t, size_t count, void* receiving) {
  HttpAnswer& answer = static_cast<Receiving*>(receiving)->answer;
  const std::string_view line(bytes, count);
  if (line.starts_with("HTTP/")) answer.headers.clear();  // drop the headers of a 1xx or of a proxy
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos)
    answer.headers[lower_case(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  return count;
}

size_t take_body(char* bytes, size_t, size_t count, void* receiving) {
  auto& [answer, max_bytes] = *static_cast<Receiving*>(receiving);
  answer.is_whole = answer.body.size() + count <= max_bytes;
  if (!answer.is_whole) return 0;
  answer.body.append(bytes, count);
  return count;
}

int should_stop(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return current_stop().stop_requested() ? 1 : 0;
}

bool is_certificate_fault(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM;
}

// Handles without a current request, with their open connections.
class IdleHandles {
 public:
  explicit IdleHandles(const Curl& curl) : curl_(curl) {}
  ~IdleHandles() {
    for (CURL* handle : idle_) curl_.easy_cleanup(handle);
  }
  IdleHandles(const IdleHandles&) = delete;
  IdleHandles& operator=(const IdleHandles&) = delete;

  CURL* take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      CURL* const handle = curl_.easy_init();
      if (handle == nullptr) throw std::bad_alloc();
      return handle;
    }
    CURL* const handle = idle_.back();
    idle_.pop_back();
    return handle;
  }

  void give_back(CURL* handle) {
    curl_.easy_reset(handle);  // keeps connections
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  }

 private:
  const Curl& curl_;
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

// The single set of the process, because connections belong to servers and not to files.
IdleHandles& idle_handles(const Curl& curl) {
  static IdleHandles handles(curl);
  return handles;
}

}  // namespace

std::string HttpAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

HttpAnswer HttpClient::get(const Request& request) const {
  Receiving receiving{.answer = {}, .max_bytes = static_cast<size_t>(request.end - request.begin)};
  HttpAnswer& answer = receiving.answer;
  IdleHandles& idle = idle_handles(curl_);
  const auto give_back = [&idle](CURL* handle) { idle.give_back(handle); };
  const std::unique_ptr<CURL, decltype(give_back)> handle(idle.take(), give_back);
  const auto set = [&](CURLoption option, auto value) { curl_.easy_setopt(handle.get(), option, value); };

  const std::string range = std::to_string(request.begin) + "-" + std::to_string(request.end - 1);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(request.deadline - Clock::now());
  char reason[CURL_ERROR_SIZE] = "";
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_RANGE, range.c_str());
  set(CURLOPT_USERAGENT, "portatune");
  set(CURLOPT_PROTOCOLS_STR, "https,http");
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(left.count())));
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, kStallBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, reason);
  set(CURLOPT_HEADERFUNCTION, &take_header);
  set(CURLOPT_HEADERDATA, &receiving);
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, &receiving);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &should_stop);
  if (request.direct) set(CURLOPT_NOPROXY, "*");
  if (!request.token.empty()) {
    set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    set(CURLOPT_XOAUTH2_BEARER, request.token.c_str());
  } else if (request.with_credentials) {
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    if (const auto file = environment_variable("NETRC")) set(CURLOPT_NETRC_FILE, file->c_str());
  }
  // libcurl ignores SSL_CERT_FILE, which OpenSSL and the clients of other clouds use.
  if (const auto file = environment_variable("SSL_CERT_FILE")) set(CURLOPT_CAINFO, file->c_str());

  const CURLcode code = curl_.easy_perform(handle.get());
  stop_if_requested();
  curl_.easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  if (code != CURLE_OK && answer.is_whole) {
    const std::string what = *reason != '\0' ? reason : curl_.easy_strerror(code);
    if (!is_certificate_fault(code))
      throw TemporaryFault{.what = what, .is_mostly_lasting = code == CURLE_COULDNT_RESOLVE_HOST};
    throw IoError({.where = request.url,
                   .given = what,
                   .expected = "a server with a trusted certificate",
                   .fix = "set SSL_CERT_FILE=FILE to trust other certificate authorities"},
                  EACCES);
  }
  curl_off_t wait = 0;
  char* redirect = nullptr;
  curl_.easy_getinfo(handle.get(), CURLINFO_RETRY_AFTER, &wait);
  curl_.easy_getinfo(handle.get(), CURLINFO_REDIRECT_URL, &redirect);
  answer.retry_after = Seconds(static_cast<double>(wait));
  // `redirect` itself is unusable: libcurl adds the credentials of .netrc to it if the Location is relative.
  if (redirect != nullptr) answer.redirect = linked_url(request.url, answer.header("location"));
  return std::move(answer);
}

}  // namespace portatune::io
