#include "portatune/io/hub/hub_files.h"

#include <algorithm>
#include <set>

#include "portatune/error.h"
#include "portatune/io/hub/environment.h"

namespace portatune::io {
namespace {

constexpr std::string_view kDatasets = "hf://datasets/", kEncodedSlash = "%2F";

// The length of the first `parts` parts of a path.
size_t length_of(std::string_view path, int parts) {
  size_t end = path.find('/');
  for (; parts > 1 && end != std::string_view::npos; --parts) end = path.find('/', end + 1);
  return std::min(end, path.size());
}

// The number of parts of a revision at the beginning of a text.
int revision_parts(std::string_view text) {
  const bool is_reference = text.starts_with("refs/pr/") || text.starts_with("refs/convert/");
  return is_reference ? 3 : 1;
}

std::string decoded(std::string revision) {
  for (size_t at = 0; (at = revision.find(kEncodedSlash, at)) != std::string::npos; ++at) {
    revision.replace(at, kEncodedSlash.size(), "/");
  }
  return revision;
}

std::string encoded(std::string revision) {
  if (length_of(revision, revision_parts(revision)) == revision.size()) return revision;
  for (size_t at = 0; (at = revision.find('/', at)) != std::string::npos;) revision.replace(at, 1, kEncodedSlash);
  return revision;
}

[[noreturn]] void refuse(const std::string& url) {
  throw UsageError({.where = url,
                    .given = "no file of a data set of the Hub",
                    .expected = std::string(kDatasets) + "org/name/file, or hf:org/name:train for a data set"});
}

HubPath parse_url(const std::string& url) {
  if (!url.starts_with(kDatasets)) refuse(url);
  return HubPath::parse(url.substr(kDatasets.size()), url);
}

void require_requests(const std::string& url) {
  const std::string variable = offline_variable();
  if (variable.empty()) return;
  throw UsageError({.where = url,
                    .given = "data of the Hub, while " + variable + " forbids requests",
                    .expected = "requests, as data is not kept in a cache",
                    .fix = "unset " + variable + ", or download the files and name them"});
}

// The entries directly in a folder of a data set.
std::vector<std::string> entries_in(const std::string& folder, bool folders) {
  HubPath place = parse_url(folder);
  if (!place.path.empty() && !place.path.ends_with('/')) place.path += '/';
  std::set<std::string> urls;
  bool is_there = false;
  for (const HubFile& file : list_dataset(place.name, folder).files) {
    if (!file.name.starts_with(place.path)) continue;
    is_there = true;
    const size_t slash = file.name.find('/', place.path.size());
    const bool is_file = slash == std::string::npos;
    if (is_file != folders) urls.insert(to_url({place.name, is_file ? file.name : file.name.substr(0, slash + 1)}));
  }
  if (is_there) return {urls.begin(), urls.end()};
  throw NotFoundError({.where = folder, .given = "no such folder in the data set", .expected = "a file or a folder"});
}

}  // namespace

HubPath HubPath::parse(const std::string& text, const std::string& url) {
  const size_t at = text.find('@');
  size_t end = length_of(text, 2);
  std::string revision = "main";
  if (at < end) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    end = at + 1 + length_of(rest, revision_parts(rest));
    revision = decoded(text.substr(at + 1, end - at - 1));
  }
  const auto name = HubName::parse(text.substr(0, std::min(at, end)) + "@" + revision, HubKind::kDataset);
  if (!name) refuse(url);
  return {.name = *name, .path = text.substr(std::min(end + 1, text.size()))};
}

std::string to_url(const HubPath& path) {
  const HubName& name = path.name;
  const std::string revision = name.revision == "main" ? "" : "@" + encoded(name.revision);
  return std::string(kDatasets) + name.name + revision + (path.path.empty() ? "" : "/" + path.path);
}

bool is_hub_url(std::string_view path) { return path.starts_with("hf://"); }

std::unique_ptr<Transport> hub_transport(const std::string& url) {
  const HubPath file = parse_url(url);
  if (file.path.empty() || file.path.ends_with('/')) refuse(url);
  require_requests(url);
  return HubClient(file.name).transport(file.path);
}

std::vector<std::string> hub_objects(const std::string& folder) { return entries_in(folder, false); }

std::vector<std::string> hub_folders(const std::string& folder) { return entries_in(folder, true); }

HubListing list_dataset(const HubName& name, const std::string& url) {
  require_requests(url);
  return HubClient(name).list();
}

}  // namespace portatune::io
