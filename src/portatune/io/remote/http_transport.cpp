#include "portatune/io/remote/http_transport.h"

#include <cerrno>
#include <optional>
#include <utility>

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/io/remote/http_request.h"
#include "portatune/io/remote/url.h"

namespace portatune::io {
namespace {

constexpr int kMaxRedirects = 5;

void require_private(const Url& url, const std::string& text) {
  if (url.scheme == "https" || (url.scheme == "http" && url.is_loopback())) return;
  throw UsageError({.where = text,
                    .given = url.scheme + "://, which others can read and change in transit",
                    .expected = "https://, or http:// to this machine"});
}

// The header Content-Range: "bytes 0-99/1234" or "bytes */1234".
struct ContentRange {
  std::optional<int64_t> begin, size;

  explicit ContentRange(std::string_view text) {
    constexpr std::string_view kUnit = "bytes ";
    if (!text.starts_with(kUnit)) return;
    text.remove_prefix(kUnit.size());
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos) return;
    begin = number_in<int64_t>(text.substr(0, text.find('-')));
    size = number_in<int64_t>(text.substr(slash + 1));
  }
};

class HttpTransport final : public Transport {
 public:
  HttpTransport(const std::string& url, HttpOptions options)
      : url_(url), options_(std::move(options)), origin_(url), client_(url), target_(url) {
    require_private(origin_, url);
  }

  Metadata open(Clock::time_point deadline) override {
    int64_t end = options_.beginning;
    HttpAnswer answer = get(0, end, deadline);
    if (answer.status == 200 && !answer.is_whole && options_.max_whole > end) {
      end = options_.max_whole;
      answer = get(0, end, deadline);
    }
    if (answer.status == 206) {
      metadata_ = {.size = require_range(answer, 0), .identity = identity_of(answer), .beginning = answer.body};
      require_bytes(answer, std::min(metadata_.size, end));
    } else if (answer.status == 416 && ContentRange(answer.header("content-range")).size == 0) {
      metadata_ = {.size = 0, .identity = identity_of(answer), .beginning = {}};
    } else if (answer.status == 200 && answer.is_whole) {  // the whole file; the server may not support ranges
      metadata_ = {.size = std::ssize(answer.body), .identity = identity_of(answer), .beginning = answer.body};
    } else {
      refuse(answer);
    }
    return metadata_;
  }

  std::string read(int64_t begin, int64_t end, Clock::time_point deadline) override {
    HttpAnswer answer = get(begin, end, deadline);
    if (answer.status != 206 && answer.status != 416) refuse(answer);
    require_same(answer);
    require_range(answer, begin);
    require_bytes(answer, end - begin);
    return std::move(answer.body);
  }

 private:
  // Follows redirects and stores the final URL, so that later ranges need no redirect.
  HttpAnswer get(int64_t begin, int64_t end, Clock::time_point deadline) {
    std::string url = target();
    const bool is_remembered = url != url_;
    for (int redirects = 0;; ++redirects) {
      const Url parts(url);
      require_private(parts, url);
      HttpAnswer answer = client_.get({.url = url,
                                       .begin = begin,
                                       .end = end,
                                       .with_credentials = parts == origin_,
                                       .token = parts == origin_ ? options_.token : "",
                                       .direct = parts.is_loopback(),
                                       .deadline = deadline});
      if (answer.redirect.empty()) {
        const bool is_success = answer.status == 200 || answer.status == 206;
        set_target(is_success ? url : url_);
        // A stored target may have expired.
        if (!is_success && is_remembered) throw TemporaryFault{.what = "HTTP status " + std::to_string(answer.status)};
        return answer;
      }
      if (redirects == kMaxRedirects) {
        throw IoError(
            {.where = url_,
             .given = "more than " + std::to_string(kMaxRedirects) + " redirects, the last to " + answer.redirect,
             .expected = "a file"});
      }
      url = answer.redirect;
    }
  }

  std::string target() {
    const std::lock_guard lock(mutex_);
    return target_;
  }
  void set_target(const std::string& url) {
    const std::lock_guard lock(mutex_);
    target_ = url;
  }

  // Checks the range of an answer and returns the size of the file.
  int64_t require_range(const HttpAnswer& answer, int64_t begin) const {
    const std::string text = answer.header("content-range");
    const ContentRange range(text);
    if (range.begin == begin && range.size) return *range.size;
    throw IoError({.where = url_,
                   .given = "an answer with Content-Range '" + text + "'",
                   .expected = "a range from byte " + std::to_string(begin) + ", with the size of the file"});
  }

  static void require_bytes(const HttpAnswer& answer, int64_t bytes) {
    if (std::ssize(answer.body) == bytes) return;
    throw TemporaryFault{.what = "an answer of " + std::to_string(answer.body.size()) + " bytes instead of " +
                                 std::to_string(bytes)};
  }

  static std::optional<std::string> identity_of(const HttpAnswer& answer) {
    for (const char* name : {"etag", "last-modified"}) {
      if (const std::string value = answer.header(name); !value.empty()) return value;
    }
    return std::nullopt;
  }

  void require_same(const HttpAnswer& answer) const {
    const auto now = identity_of(answer);
    if (now && metadata_.identity && *now != *metadata_.identity) throw file_changed(url_, *metadata_.identity, *now);
    const auto size = ContentRange(answer.header("content-range")).size;
    if (size && *size != metadata_.size) {
      throw file_changed(url_, std::to_string(metadata_.size) + " bytes", std::to_string(*size) + " bytes");
    }
  }

  [[noreturn]] void refuse(const HttpAnswer& answer) const {
    const long status = answer.status;
    const std::string given = "HTTP status " + std::to_string(status);
    if (status == 408 || status == 425 || status == 429 || status >= 500) {
      throw TemporaryFault{.what = given, .asked_wait = answer.retry_after};
    }
    options_.refuse(answer);
    if (status == 404 || status == 410) throw NotFoundError({.where = url_, .given = given, .expected = "a file"});
    if (status == 401 || status == 403 || status == 407) {
      throw IoError({.where = url_,
                     .given = given + ": no permission",
                     .expected = "a URL with permission to read",
                     .fix = "add credentials for " + origin_.host +
                            " to ~/.netrc or to the file in NETRC; get a new URL if it is signed and has expired"},
                    EACCES);
    }
    if (status == 200) {
      throw IoError(
          {.where = url_,
           .given = "the whole file instead of a range",
           .expected = "a server that supports range requests (206 Partial Content)",
           .fix = "download the file, or use a server with range requests, such as nginx, Apache or cloud storage"});
    }
    throw IoError({.where = url_, .given = given, .expected = "the file"});
  }

  const std::string url_;
  const HttpOptions options_;
  const Url origin_;
  HttpClient client_;
  std::mutex mutex_;
  std::string target_;
  Metadata metadata_;
};

}  // namespace

std::unique_ptr<Transport> http_transport(const std::string& url, HttpOptions options) {
  return std::make_unique<HttpTransport>(url, std::move(options));
}

std::string read_page(const std::string& url, int64_t max_bytes, HttpOptions options) {
  options.beginning = max_bytes;
  HttpTransport transport(url, std::move(options));
  Transport::Metadata metadata =
      with_retries(url, [&](Clock::time_point deadline) { return transport.open(deadline); });
  if (metadata.size == std::ssize(metadata.beginning)) return std::move(metadata.beginning);
  throw DataError({.where = url,
                   .given = std::to_string(metadata.size) + " bytes",
                   .expected = "at most " + std::to_string(max_bytes)});
}

}  // namespace portatune::io
