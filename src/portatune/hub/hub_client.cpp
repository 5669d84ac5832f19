#include "portatune/hub/hub_client.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "portatune/error.h"
#include "portatune/hub/environment.h"
#include "portatune/io/remote/http_transport.h"
#include "portatune/io/remote/read_ahead.h"
#include "portatune/io/remote/remote_file.h"
#include "portatune/io/text/json.h"

namespace portatune::hub {
namespace {

constexpr int64_t kMaxListingBytes = 10'000'000, kMaxWholeBytes = 32 << 20;

// A revision as one part of the path of a URL.
std::string encoded(std::string revision) {
  for (size_t at = 0; (at = revision.find('/', at)) != std::string::npos;) revision.replace(at, 1, "%2F");
  return revision;
}

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
  void operator()(const io::HttpAnswer& answer) const {
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

  std::string where() const { return "Hub model " + to_string(name_); }
  std::string page() const { return endpoint_ + "/" + name_.name; }
  std::string credentials() const { return has_token_ ? "your token" : "no token"; }

  [[noreturn]] void refuse_gated() const {
    throw IoError({.where = where(),
                   .given = "a gated model, with " + credentials(),
                   .expected = "a token of a user who has access to it",
                   .fix = "ask for access on " + page() + (has_token_ ? "" : std::string(", and ") + kLogin)},
                  EACCES);
  }

  // The answer of the Hub does not say whether a private model exists.
  [[noreturn]] void refuse_missing() const {
    throw NotFoundError({.where = where(),
                         .given = "a missing or private model, with " + credentials(),
                         .expected = "a model folder, or a model of " + endpoint_,
                         .fix = std::string("check the name; for a private model, ") +
                                (has_token_ ? "check that the token is valid and may read it" : kLogin)});
  }

  const HubName name_;
  const std::string endpoint_;
  const bool has_token_;
};

std::optional<HubFile> file_of(const io::JsonObject& sibling) {
  HubFile file{.name = sibling.get_string("rfilename"), .size = 0, .blob = {}};
  const std::optional<io::JsonObject> large = sibling.get_object("lfs");
  file.size = sibling.get_int_or("size", -1);
  file.blob = large ? large->get_string("sha256") : sibling.get_string_or("blobId", "");
  if (file.size < 0 || !is_hash(file.blob)) return std::nullopt;
  return file;
}

}  // namespace

HubClient::HubClient(HubName name) : name_(std::move(name)), endpoint_(hub_endpoint()), token_(hub_token()) {}

HubListing HubClient::list() const {
  const std::string url =
      endpoint_ + "/api/models/" + name_.name + "/revision/" + encoded(name_.revision) + "?blobs=true";
  const std::string page =
      io::read_page(url, kMaxListingBytes, {.token = token_, .refuse = Refusal(name_, endpoint_, !token_.empty())});
  try {
    const io::JsonObject answer = io::JsonObject::parse(page, url);
    HubListing listing{.commit = answer.get_string("sha"), .files = {}};
    for (const io::JsonObject& sibling : answer.get_objects("siblings")) {
      if (std::optional<HubFile> file = file_of(sibling)) listing.files.push_back(std::move(*file));
    }
    if (is_commit(listing.commit)) return listing;
    throw CheckpointError({.where = url, .given = "the commit '" + listing.commit + "'", .expected = "40 hex digits"});
  } catch (const CheckpointError& error) {
    throw DataError({.where = url,
                     .given = "another answer than the Hub's: " + error.report().given,
                     .expected = "the list of files of a model",
                     .fix = "check HF_ENDPOINT"});
  }
}

std::shared_ptr<const io::RandomAccessFile> HubClient::open(const HubFile& file, const std::string& commit) const {
  const std::string url = endpoint_ + "/" + name_.name + "/resolve/" + commit + "/" + file.name;
  io::HttpOptions options{.token = token_, .refuse = Refusal(name_, endpoint_, !token_.empty())};
  // The Hub may send files outside of Git LFS as a whole.
  if (!file.is_large()) options.beginning = std::clamp(file.size, options.beginning, kMaxWholeBytes);
  return io::read_ahead(io::open_remote(url, io::http_transport(url, std::move(options))));
}

}  // namespace portatune::hub
