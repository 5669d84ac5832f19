// Classification of cloud errors by their messages, because Arrow has no codes for them.
#include <arrow/util/io_util.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "portatune/io/arrow/cloud_object.h"

namespace portatune::arrow_plugin {
namespace {

constexpr std::string_view kChangedWords = "a different object than at its opening";

bool has(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

// The status in "(HTTP status 503)", Arrow's form for S3; 0 if there is none.
int http_status(std::string_view message) {
  constexpr std::string_view kWords = "(HTTP status ";
  const size_t begin = message.find(kWords);
  if (begin == std::string_view::npos) return 0;
  message.remove_prefix(begin + kWords.size());
  int status = 0;
  std::from_chars(message.data(), message.data() + message.size(), status);
  return status;
}

bool is_denied(std::string_view message, int status) {
  return status == 401 || status == 403 || has(message, "ACCESS_DENIED") || has(message, "PERMISSION_DENIED") ||
         has(message, "UNAUTHENTICATED") || has(message, "ould not automatically determine credentials");
}

// Status 301 is permanent: the bucket is in another region.
bool is_temporary(std::string_view message, int status) {
  return status == 408 || status == 429 || status >= 500 || has(message, "NETWORK_CONNECTION") ||
         has(message, "SLOW_DOWN") || has(message, "UNAVAILABLE") || has(message, "DEADLINE_EXCEEDED") ||
         has(message, "RESOURCE_EXHAUSTED") || has(message, "INTERNAL:") || has(message, "ABORTED:") ||
         has(message, "Cannot read from closed file");  // any fault of Google's stream
}

}  // namespace

arrow::Status changed(const std::string& then, const std::string& now) {
  return arrow::Status::IOError(kChangedWords, ": ", now, " instead of ", then);
}

PortatuneArrowFault cloud_fault(const arrow::Status& status) {
  const std::string& message = status.message();
  const int http = http_status(message);
  if (message.starts_with(kChangedWords)) return kPortatuneArrowChanged;
  const bool is_missing =
      arrow::internal::ErrnoFromStatus(status) == ENOENT || has(message, "No such file or directory");
  if (is_missing || http == 404) return kPortatuneArrowNotFound;
  if (is_denied(message, http)) return kPortatuneArrowNoPermission;
  return is_temporary(message, http) ? kPortatuneArrowTemporary : kPortatuneArrowIo;
}

}  // namespace portatune::arrow_plugin
