#include "portatune/io/remote/cloud.h"

#include <algorithm>
#include <cerrno>

#include "portatune/error.h"
#include "portatune/io/plugin/arrow_plugin.h"
#include "portatune/io/remote/bounded_call.h"

namespace portatune::io {
namespace {

std::string credentials_advice(std::string_view url) {
  if (url.starts_with("s3://")) {
    return "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile in ~/.aws/credentials; "
           "set AWS_REGION to the region";
  }
  return "set GOOGLE_APPLICATION_CREDENTIALS to a credentials file, or run `gcloud auth application-default login`; "
         "gs://anonymous@bucket/... needs no credentials";
}

[[noreturn]] void fail(const std::string& url, const PortatuneArrowError& error) {
  const std::string given = error.message;
  switch (error.fault) {
    case kPortatuneArrowTemporary:
      throw TemporaryFault{.what = given};
    case kPortatuneArrowNotFound:
      throw NotFoundError({.where = url,
                           .given = "no such object, bucket or folder",
                           .expected = "an object, or a folder whose name ends in /"});
    case kPortatuneArrowNoPermission:
      throw IoError({.where = url, .given = given, .expected = "permission to read it", .fix = credentials_advice(url)},
                    EACCES);
    case kPortatuneArrowChanged:
      throw DataError(
          {.where = url, .given = given, .expected = "an object that no other program changes while it is read"});
    default:
      throw IoError({.where = url, .given = given}, EIO);
  }
}

class CloudTransport final : public Transport {
 public:
  explicit CloudTransport(const std::string& url) : url_(url), api_(arrow_plugin(url)) {}

  Metadata open(Clock::time_point deadline) override {
    object_ = bounded_call(
        [&api = api_, url = url_] {
          PortatuneArrowError error;
          Object object(api.open_object(url.c_str(), &error), api.close_object);
          if (object == nullptr) fail(url, error);
          return object;
        },
        deadline);
    const std::string identity = api_.object_identity(object_.get());
    return {.size = api_.object_size(object_.get()),
            .identity = identity.empty() ? std::nullopt : std::optional(identity),
            .beginning = {}};
  }

  std::string read(int64_t begin, int64_t end, Clock::time_point deadline) override {
    return bounded_call(
        [&api = api_, url = url_, object = object_, begin, end] {
          PortatuneArrowError error;
          std::string bytes(static_cast<size_t>(end - begin), '\0');
          const int64_t count = api.read_object(object.get(), begin, end - begin, bytes.data(), &error);
          if (count < 0) fail(url, error);
          if (count != end - begin) throw TemporaryFault{.what = "an answer of " + std::to_string(count) + " bytes"};
          return bytes;
        },
        deadline);
  }

 private:
  using Object = std::shared_ptr<PortatuneArrowObject>;  // shared with calls that continue after their deadline

  const std::string url_;
  const PortatuneArrowApi& api_;
  Object object_;
};

std::string with_slash(std::string folder) {
  if (!folder.ends_with('/')) folder += '/';
  return folder;
}

// URLs of the entries of a folder, each followed by `end`.
std::vector<std::string> urls_in(const std::string& folder, bool folders, const std::string& end) {
  const PortatuneArrowApi& api = arrow_plugin(folder);
  const auto list = [&api, folder, folders] {
    PortatuneArrowError error;
    std::vector<std::string> names;
    const auto take = [](void* names, const char* name) {
      static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    };
    if (api.list_folder(folder.c_str(), folders ? 1 : 0, take, &names, &error) != 0) fail(folder, error);
    return names;
  };
  std::vector<std::string> urls =
      with_retries(folder, [&](Clock::time_point deadline) { return bounded_call(list, deadline); });
  for (std::string& url : urls) url = folder + url + end;
  std::ranges::sort(urls);
  return urls;
}

}  // namespace

bool is_cloud(std::string_view path) { return path.starts_with("s3://") || path.starts_with("gs://"); }

std::unique_ptr<Transport> cloud_transport(const std::string& url) { return std::make_unique<CloudTransport>(url); }

std::vector<std::string> cloud_objects(const std::string& folder) { return urls_in(with_slash(folder), false, ""); }
std::vector<std::string> cloud_folders(const std::string& folder) { return urls_in(with_slash(folder), true, "/"); }

}  // namespace portatune::io
