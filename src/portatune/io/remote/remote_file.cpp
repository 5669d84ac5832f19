#include "portatune/io/remote/remote_file.h"

#include <algorithm>
#include <utility>

#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/io/hub/hub_files.h"
#include "portatune/io/remote/cloud.h"
#include "portatune/io/remote/http_transport.h"

namespace portatune::io {
namespace {

std::unique_ptr<Transport> transport_for(const std::string& url) {
  const std::string_view scheme = std::string_view(url).substr(0, url.find("://"));
  if (scheme == "https" || scheme == "http") return http_transport(url);
  if (is_cloud(url)) return cloud_transport(url);
  if (is_hub_url(url)) return hub_transport(url);
  throw UsageError({.where = url,
                    .given = "a URL that begins with " + std::string(scheme) + "://",
                    .expected = "https://, s3://, gs:// or hf://, or a path"});
}

constexpr int64_t kMaxRequest = 8 << 20;  // bytes that a slow connection, too, reads before the deadline of a request

class RemoteFile final : public RandomAccessFile {
 public:
  RemoteFile(const std::string& url, std::unique_ptr<Transport> transport)
      : url_(url), transport_(std::move(transport)) {
    metadata_ = with_retries(url_, [&](Clock::time_point deadline) { return transport_->open(deadline); });
  }

  int64_t size() const override { return metadata_.size; }
  std::optional<std::string> identity() const override { return metadata_.identity; }

  size_t read_at(int64_t offset, std::span<char> target) const override {
    const int64_t end = std::min(metadata_.size, offset + std::ssize(target));
    if (offset >= end) return 0;
    for (int64_t begin = offset + copy_beginning(offset, target); begin < end;) {
      const int64_t stop = std::min(end, begin + kMaxRequest);
      const std::string bytes =
          with_retries(url_, [&](Clock::time_point deadline) { return transport_->read(begin, stop, deadline); });
      std::ranges::copy(bytes, target.begin() + (begin - offset));
      note_progress();
      begin = stop;
    }
    return static_cast<size_t>(end - offset);
  }

 private:
  // Copies the bytes that were read at the opening of the file, and returns their number.
  int64_t copy_beginning(int64_t offset, std::span<char> target) const {
    if (offset >= std::ssize(metadata_.beginning)) return 0;
    return static_cast<int64_t>(metadata_.beginning.copy(target.data(), target.size(), static_cast<size_t>(offset)));
  }

  const std::string url_;
  const std::unique_ptr<Transport> transport_;
  Transport::Metadata metadata_;
};

}  // namespace

std::shared_ptr<const RandomAccessFile> open_remote(const std::string& url) {
  return open_remote(url, transport_for(url));
}

std::shared_ptr<const RandomAccessFile> open_remote(const std::string& url, std::unique_ptr<Transport> transport) {
  return std::make_shared<const RemoteFile>(url, std::move(transport));
}

DataError file_changed(const std::string& url, const std::string& then, const std::string& now) {
  return DataError({.where = url,
                    .given = "a different file (" + now + ") than at its opening (" + then + ")",
                    .expected = "a file that no other program changes while it is read"});
}

}  // namespace portatune::io
