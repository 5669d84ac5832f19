#include "portatune/io/hub/hub_client.h"

#include <cerrno>
#include <optional>
#include <utility>

#include "portatune/error.h"
#include "portatune/io/hub/environment.h"
#include "portatune/io/remote/http_transport.h"
#include "portatune/io/remote/read_ahead.h"
#include "portatune/io/remote/remote_file.h"
#include "portatune/io/text/json.h"

namespace portatune::io {
namespace {

constexpr int64_t kMaxListingBytes = 100'000'000, kMaxWholeBytes = 32 << 20;

// A part of the path of a URL: a revision, or the path of a file, whose slashes stay.
std::string encoded(std::string_view text, std::string_view unchanged) {
  constexpr std::string_view kLiteral = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~",
                             kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (kLiteral.find(c) != std::string_view::npos || unchanged.find(c) != std::string_view::npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

// The beginning of the paths of a repository's files.
std::string path_of(const HubName& name) { return (name.kind == HubKind::kModel ? "/" : "/datasets/") + name.name; }

const char* word_for(HubKind kind) { return kind == HubKind::kModel ? "model" : "data set"; }

bool is_hash(const std::string& text) {
  const bool is_of_git = text.size() == 40, is_sha256 = text.size() == 64;
  return (is_of_git || is_sha256) && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Turns the answers of the Hub into errors.
class Refusal {
 public:
  Refusal(HubName name, std::string endpoint, bool has_token)
      : name_(std::move(name)), endpoint_(std::move(endpoint)), has_token_(has_token) {}

  // Returns if the answer has no meaning of its own here.
  void operator()(const HttpAnswer& answer) const {
    const std::string code = answer.header("x-error-code");
    if (code == "GatedRepo") refuse_gated();
    if (code == "RevisionNotFound") {
      throw NotFoundError({.where = where(),
                           .given = "no revision '" + name_.revision + "'",
                           .expected = "a branch, a tag or a commit of " + page()});
    }
    if (code == "RepoNotFound" || answer.status == 401) refuse_missing();
    if (answer.status == 403) {
      throw IoError({.where = where(),
                     .given = "no permission to read it, with " + credentials(),
                     .expected = "a token with read access to it",
                     .fix = kLogin},
                    EACCES);
    }
  }

 private:
  static constexpr const char* kLogin = "set HF_TOKEN, or run hf auth login";

  bool is_model() const { return name_.kind == HubKind::kModel; }
  std::string kind() const { return word_for(name_.kind); }
  std::string where() const { return "Hub " + kind() + " " + to_string(name_); }
  std::string page() const { return endpoint_ + path_of(name_); }
  std::string credentials() const { return has_token_ ? "your token" : "no token"; }

  [[noreturn]] void refuse_gated() const {
    throw IoError({.where = where(),
                   .given = "a gated " + kind() + ", with " + credentials(),
                   .expected = "a token of a user who has access to it",
                   .fix = "ask for access on " + page() + (has_token_ ? "" : std::string(", and ") + kLogin)},
                  EACCES);
  }

  // The answer of the Hub does not say whether a private repository exists.
  [[noreturn]] void refuse_missing() const {
    throw NotFoundError(
        {.where = where(),
         .given = "a missing or private " + kind() + ", with " + credentials(),
         .expected = is_model() ? "a model folder, or a model of " + endpoint_ : "a data set of " + endpoint_,
         .fix = std::string("check the name; for a private one, ") +
                (has_token_ ? "check that the token is valid and may read it" : kLogin)});
  }

  const HubName name_;
  const std::string endpoint_;
  const bool has_token_;
};

std::optional<HubFile> file_of(const JsonObject& sibling) {
  HubFile file{.name = sibling.get_string("rfilename"), .size = 0, .blob = {}};
  const std::optional<JsonObject> large = sibling.get_object("lfs");
  file.size = sibling.get_int_or("size", -1);
  file.blob = large ? large->get_string("sha256") : sibling.get_string_or("blobId", "");
  if (file.size < 0 || !is_hash(file.blob)) return std::nullopt;
  return file;
}

}  // namespace

HubClient::HubClient(HubName name) : name_(std::move(name)), endpoint_(hub_endpoint()), token_(hub_token()) {}

HubListing HubClient::list() const {
  const std::string url = endpoint_ + "/api/" + (name_.kind == HubKind::kModel ? "models/" : "datasets/") + name_.name +
                          "/revision/" + encoded(name_.revision, "") + "?blobs=true";
  const std::string page = read_page(url, kMaxListingBytes, options());
  try {
    const JsonObject answer = JsonObject::parse(page, url);
    HubListing listing{.name = answer.get_string_or("id", name_.name), .commit = answer.get_string("sha"), .files = {}};
    for (const JsonObject& sibling : answer.get_objects("siblings")) {
      if (std::optional<HubFile> file = file_of(sibling)) listing.files.push_back(std::move(*file));
    }
    if (is_commit(listing.commit)) return listing;
    throw CheckpointError({.where = url, .given = "the commit '" + listing.commit + "'", .expected = "40 hex digits"});
  } catch (const CheckpointError& error) {
    throw DataError({.where = url,
                     .given = "another answer than the Hub's: " + error.report().given,
                     .expected = std::string("the list of files of a ") + word_for(name_.kind),
                     .fix = "check HF_ENDPOINT"});
  }
}

std::unique_ptr<Transport> HubClient::transport(const std::string& file) const {
  return http_transport(url_of(file, name_.revision), options());
}

std::shared_ptr<const RandomAccessFile> HubClient::open(const HubFile& file, const std::string& commit) const {
  const std::string url = url_of(file.name, commit);
  return read_ahead(open_remote(url, http_transport(url, options())));
}

std::string HubClient::url_of(const std::string& file, const std::string& revision) const {
  return endpoint_ + path_of(name_) + "/resolve/" + encoded(revision, "") + "/" + encoded(file, "/");
}

// The Hub may send files outside of Git LFS as a whole.
HttpOptions HubClient::options() const {
  return {.token = token_, .max_whole = kMaxWholeBytes, .refuse = Refusal(name_, endpoint_, !token_.empty())};
}

}  // namespace portatune::io
