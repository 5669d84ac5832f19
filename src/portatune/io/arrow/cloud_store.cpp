#include "portatune/io/arrow/cloud_store.h"

#include <arrow/filesystem/gcsfs.h>
#include <arrow/filesystem/s3fs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace portatune::arrow_plugin {
namespace {

namespace fs = arrow::fs;
using arrow::Result;
using arrow::Status;

using Store = std::shared_ptr<fs::FileSystem>;

constexpr double kConnectSeconds = 10, kStallSeconds = 20;

// The value of the first environment variable that is set; empty if none is set.
std::string variable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

// A server such as "http://127.0.0.1:9000", with or without a scheme.
struct Endpoint {
  std::string scheme, host;

  Endpoint(std::string text, std::string default_scheme) : scheme(std::move(default_scheme)) {
    const size_t end = text.find("://");
    if (end != std::string::npos) {
      scheme = text.substr(0, end);
      text.erase(0, end + 3);
    }
    while (text.ends_with('/')) text.pop_back();
    host = text;
  }
};

class Once final : public fs::S3RetryStrategy {
 public:
  bool ShouldRetry(const AWSErrorDetail&, int64_t) override { return false; }
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail&, int64_t) override { return 0; }
};

// Exits without finalizing S3, because finalization waits for abandoned calls or fails during them.
void end_at_once(int status, void*) {
  std::fflush(nullptr);
  _exit(status);
}

Status begin_s3() {
  if (fs::IsS3Initialized()) return Status::OK();
  fs::S3GlobalOptions options = fs::S3GlobalOptions::Defaults();
  options.log_level = fs::S3LogLevel::Off;
  options.install_sigpipe_handler = true;  // makes a closed connection an error instead of ending the process
  ARROW_RETURN_NOT_OK(fs::InitializeS3(options));
  // The first client creates Arrow's global objects. Objects created after the exit handler would be destroyed before
  // it.
  fs::S3Options any = fs::S3Options::Anonymous();
  any.region = "us-east-1";
  ARROW_RETURN_NOT_OK(fs::S3FileSystem::Make(any).status());
  if (on_exit(&end_at_once, nullptr) != 0) return Status::OutOfMemory("no room for another exit handler");
  return Status::OK();
}

Result<Store> open_s3(const std::string& bucket) {
  ARROW_RETURN_NOT_OK(begin_s3());
  fs::S3Options options = fs::S3Options::Defaults();
  options.connect_timeout = kConnectSeconds;
  options.request_timeout = kStallSeconds;
  options.retry_strategy = std::make_shared<Once>();
  const std::string endpoint = variable({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  options.region = variable({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (!endpoint.empty()) {
    const Endpoint parts(endpoint, "https");
    options.scheme = parts.scheme;
    options.endpoint_override = parts.host;
  } else if (options.region.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.region, fs::ResolveS3BucketRegion(bucket));
  }
  return fs::S3FileSystem::Make(options);
}

Result<Store> open_gs(bool anonymous) {
  const std::string emulator = variable({"STORAGE_EMULATOR_HOST", "CLOUD_STORAGE_EMULATOR_ENDPOINT"});
  fs::GcsOptions options = anonymous || !emulator.empty() ? fs::GcsOptions::Anonymous() : fs::GcsOptions::Defaults();
  if (!emulator.empty()) {
    const Endpoint parts(emulator, "http");
    options.scheme = parts.scheme;
    options.endpoint_override = parts.host;
  }
  options.retry_limit_seconds = 0.002;  // ends after the first fault; 0 would prevent the first attempt
  return fs::GcsFileSystem::Make(options);
}

Result<Store> open_store(bool is_s3, bool anonymous, const std::string& bucket) {
  if (is_s3) return open_s3(bucket);
  return open_gs(anonymous);
}

}  // namespace

// Stores are never destroyed, because a call that the command has abandoned may still use one.
Result<CloudLocation> cloud_location(const std::string& url) {
  static std::mutex mutex;
  static auto& stores = *std::make_unique<std::map<std::string, Store>>().release();
  constexpr std::string_view kAnonymous = "anonymous@";
  const bool is_s3 = url.starts_with("s3://");
  std::string path = url.substr(url.find("://") + 3);
  const bool anonymous = !is_s3 && path.starts_with(kAnonymous);
  if (anonymous) path.erase(0, kAnonymous.size());
  const std::string name = url.substr(0, url.size() - path.size()) + path.substr(0, path.find('/'));

  const std::lock_guard lock(mutex);
  Store& store = stores[name];
  if (!store) {
    ARROW_ASSIGN_OR_RAISE(store, open_store(is_s3, anonymous, path.substr(0, path.find('/'))));
  }
  return CloudLocation{store, std::move(path), is_s3};
}

}  // namespace portatune::arrow_plugin
