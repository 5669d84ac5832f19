#include "io/fake_hub.h"

#include <stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/io/checksum/sha256.h"

namespace portatune {

namespace {

const std::string kConverted = "refs%2Fconvert%2Fparquet";

// The Hub's answer to a request for the files of a revision.
std::string listing(const std::map<std::string, FakeHub::File>& files) {
  nlohmann::json siblings = nlohmann::json::array();
  for (const auto& [name, file] : files) {
    nlohmann::json sibling = {
        {"rfilename", name}, {"size", file.bytes.size()}, {"blobId", blob_name(file.bytes, false)}};
    if (file.is_large) {
      sibling["lfs"] = {{"sha256", blob_name(file.bytes, true)}, {"size", file.bytes.size()}, {"pointerSize", 135}};
    }
    siblings.push_back(sibling);
  }
  return nlohmann::json{{"id", "org/tiny"}, {"sha", FakeHub::commit()}, {"siblings", siblings}}.dump();
}

}  // namespace

std::string blob_name(const std::string& bytes, bool is_large) {
  io::Digest digest(is_large ? io::DigestKind::kSha256 : io::DigestKind::kSha1);
  const std::string header = "blob " + std::to_string(bytes.size()) + std::string(1, '\0');
  if (!is_large) digest.update(header);
  digest.update(bytes);
  return digest.digest();
}

FakeHub::FakeHub(io::HubKind kind)
    : kind_(kind), server_([this](const HttpRequest& request) {
        std::optional<HttpResponse> own = answer ? answer(request) : std::nullopt;
        return own ? *own : usual(request);
      }) {
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    unsetenv(name);
  }
  setenv("HF_ENDPOINT", server_.url("/").c_str(), 1);
  setenv("HF_TOKEN_PATH", "/dev/null", 1);
  setenv("NETRC", "/dev/null", 1);
  setenv("PORTATUNE_REMOTE_TIMEOUT", "2", 1);
}

FakeHub::~FakeHub() {
  for (const char* name : {"HF_ENDPOINT", "HF_TOKEN", "HF_TOKEN_PATH", "NETRC", "PORTATUNE_REMOTE_TIMEOUT"}) {
    unsetenv(name);
  }
}

const std::string& FakeHub::commit() {
  static const std::string commit = "0123456789abcdef0123456789abcdef01234567";
  return commit;
}

std::string FakeHub::path_of(const std::string& file) { return "/org/tiny/resolve/" + commit() + "/" + file; }

int64_t FakeHub::requests_for(const std::string& path) const {
  return std::ranges::count_if(requests(), [&](const HttpRequest& request) { return request.path() == path; });
}

HttpResponse FakeHub::usual(const HttpRequest& request) const {
  const std::string path = request.path(), kind = kind_ == io::HubKind::kModel ? "" : "/datasets";
  const std::string list = "/api" + (kind.empty() ? "/models" : kind) + "/org/tiny/revision/";
  for (const std::string& revision : {std::string("main"), std::string("refs%2Fpr%2F1"), commit(), kConverted}) {
    const auto& there = revision == kConverted ? converted : files;
    if (path == list + revision && !there.empty()) return {.body = listing(there)};
    for (const auto& [name, file] : there) {
      if (path != kind + "/org/tiny/resolve/" + revision + "/" + name) continue;
      return ranged(request, file.bytes, "\"" + blob_name(file.bytes, file.is_large) + "\"");
    }
  }
  return {.status = 404, .headers = {{"X-Error-Code", path.starts_with("/api/") ? "RepoNotFound" : "EntryNotFound"}}};
}

}  // namespace portatune
