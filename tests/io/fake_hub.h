// A Hub on this machine with one repository, org/tiny.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/http_server.h"
#include "portatune/io/hub/hub_name.h"

namespace portatune {

/// The name that the Hub and its cache give to a content: the SHA-256 of large files, git's SHA-1 of others.
std::string blob_name(const std::string& bytes, bool is_large);

/// Sets HF_ENDPOINT to itself while it lives, and removes the other variables of the Hub.
class FakeHub {
 public:
  struct File {
    std::string bytes;
    bool is_large = false;
  };

  explicit FakeHub(io::HubKind kind = io::HubKind::kModel);
  ~FakeHub();
  FakeHub(const FakeHub&) = delete;
  FakeHub& operator=(const FakeHub&) = delete;

  static const std::string& commit();
  /// URL path of a file of a model.
  static std::string path_of(const std::string& file);
  int64_t requests_for(const std::string& path) const;
  std::vector<HttpRequest> requests() const { return server_.requests(); }
  void end_hangs() { server_.end_hangs(); }

  std::map<std::string, File> files;
  std::map<std::string, File> converted;  ///< files of the branch refs/convert/parquet; empty: no such branch
  /// The answer to a request in place of the usual one; nothing: the usual one.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> answer;

 private:
  HttpResponse usual(const HttpRequest& request) const;

  const io::HubKind kind_;
  HttpServer server_;
};

}  // namespace portatune
