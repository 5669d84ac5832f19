#include "portatune/io/remote/http_transport.h"

#include <cerrno>
#include <optional>

#include "portatune/base/number.h"
#include "portatune/error.h"
#include "portatune/io/remote/http_request.h"
#include "portatune/io/remote/url.h"

namespace portatune::io {
namespace {

constexpr int64_t kBeginning = 64 * 1024;
constexpr int kMaxRedirects = 5;

void require_private(const Url& url, const std::string& text) {
  if (url.scheme == "https" || (url.scheme == "http" && url.is_loopback())) return;
  throw UsageError({.where = text,
                    .given = url.scheme + "://, which anyone on the way may read and change",
                    .expected = "https://; http:// to this machine itself only"});
}

// "bytes 0-99/1234" or "bytes */1234".
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
  /// beginning  the number of bytes that are asked for when the file is opened
  explicit HttpTransport(const std::string& url, int64_t beginning = kBeginning)
      : url_(url), beginning_(beginning), origin_(url), client_(url), target_(url) {
    require_private(origin_, url);
  }

  Facts open(Clock::time_point deadline) override {
    HttpAnswer answer = get(0, beginning_, deadline);
    if (answer.status == 206) {
      facts_ = {.size = require_range(answer, 0), .identity = identity_of(answer), .beginning = answer.body};
      require_bytes(answer, std::min(facts_.size, beginning_));
    } else if (answer.status == 416 && ContentRange(answer.header("content-range")).size == 0) {
      facts_ = {.size = 0, .identity = identity_of(answer), .beginning = {}};
    } else if (answer.status == 200 && answer.is_whole) {  // all of it, ranges or not
      facts_ = {.size = std::ssize(answer.body), .identity = identity_of(answer), .beginning = answer.body};
    } else {
      refuse(answer);
    }
    return facts_;
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
  // Follows redirects, and remembers where they lead: each range would have to go the same way.
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
                                       .direct = parts.is_loopback(),
                                       .deadline = deadline});
      if (answer.redirect.empty()) {
        const bool is_given = answer.status == 200 || answer.status == 206;
        set_target(is_given ? url : url_);
        // Where it led to may be good for a while only.
        if (!is_given && is_remembered) throw TemporaryFault{.what = "HTTP status " + std::to_string(answer.status)};
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

  // The size of the file.
  int64_t require_range(const HttpAnswer& answer, int64_t begin) const {
    const std::string text = answer.header("content-range");
    const ContentRange range(text);
    if (range.begin == begin && range.size) return *range.size;
    throw IoError({.where = url_,
                   .given = "an answer with Content-Range '" + text + "'",
                   .expected = "the bytes from " + std::to_string(begin) + " on, and the size of the file"});
  }

  static void require_bytes(const HttpAnswer& answer, int64_t bytes) {
    if (std::ssize(answer.body) == bytes) return;
    throw TemporaryFault{.what = "an answer of " + std::to_string(answer.body.size()) + " bytes in place of " +
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
    if (now && facts_.identity && *now != *facts_.identity) throw changed_meanwhile(url_, *facts_.identity, *now);
    const auto size = ContentRange(answer.header("content-range")).size;
    if (size && *size != facts_.size) {
      throw changed_meanwhile(url_, std::to_string(facts_.size) + " bytes", std::to_string(*size) + " bytes");
    }
  }

  [[noreturn]] void refuse(const HttpAnswer& answer) const {
    const long status = answer.status;
    const std::string given = "HTTP status " + std::to_string(status);
    if (status == 408 || status == 425 || status == 429 || status >= 500) {
      throw TemporaryFault{.what = given, .asked_wait = answer.retry_after};
    }
    if (status == 404 || status == 410) throw NotFoundError({.where = url_, .given = given, .expected = "a file"});
    if (status == 401 || status == 403 || status == 407) {
      throw IoError({.where = url_,
                     .given = given + ": no permission",
                     .expected = "a URL that may be read",
                     .fix = "credentials are those that ~/.netrc, or the file in NETRC, has for " + origin_.host +
                            "; signed URLs end after a while"},
                    EACCES);
    }
    if (status == 200) {
      throw IoError(
          {.where = url_,
           .given = "the whole file in place of a range of it",
           .expected = "a server that answers requests for ranges (206 Partial Content)",
           .fix = "download the file, or serve it by one that does, such as nginx, Apache or a cloud's storage"});
    }
    throw IoError({.where = url_, .given = given, .expected = "the file"});
  }

  const std::string url_;
  const int64_t beginning_;
  const Url origin_;
  HttpClient client_;
  std::mutex mutex_;
  std::string target_;
  Facts facts_;
};

}  // namespace

std::unique_ptr<Transport> http_transport(const std::string& url) { return std::make_unique<HttpTransport>(url); }

std::string read_page(const std::string& url, int64_t most_bytes) {
  HttpTransport transport(url, most_bytes);
  Transport::Facts facts = with_retries(url, [&](Clock::time_point deadline) { return transport.open(deadline); });
  if (facts.size == std::ssize(facts.beginning)) return std::move(facts.beginning);
  throw DataError({.where = url,
                   .given = std::to_string(facts.size) + " bytes",
                   .expected = "at most " + std::to_string(most_bytes)});
}

}  // namespace portatune::io
