#include "portatune/io/remote/url_pattern.h"

#include <fnmatch.h>

#include <algorithm>

#include "portatune/error.h"
#include "portatune/io/remote/listing.h"

namespace portatune::io {
namespace {

bool is_pattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// The URLs of the entries of a folder; none if the folder does not exist.
std::vector<std::string> urls_in(const std::string& folder, bool folders) {
  try {
    return folders ? remote_folders(folder) : remote_files(folder);
  } catch (const NotFoundError&) {
    return {};
  }
}

// The files in `folder`, or the folders, whose names match.
std::vector<std::string> matches_in(const std::string& folder, const std::string& name, bool folders) {
  if (folders && !is_pattern(name)) return {folder + name + "/"};
  std::vector<std::string> found;
  for (const std::string& url : urls_in(folder, folders)) {
    const std::string entry = url.substr(0, url.size() - (folders ? 1 : 0));
    const std::string there = entry.substr(entry.rfind('/') + 1);
    if (there == name) return {url};
    if (fnmatch(name.c_str(), there.c_str(), FNM_PERIOD) == 0) found.push_back(url);
  }
  return found;
}

}  // namespace

std::vector<std::string> url_matches(const std::string& pattern) {
  const size_t path = std::min(pattern.find('/', pattern.find("://") + 3), pattern.size());
  if (is_pattern(pattern.substr(0, path))) {
    throw UsageError({.where = "'" + pattern + "'", .given = "a pattern in a bucket's name", .expected = "one bucket"});
  }
  std::vector<std::string> found = {pattern.substr(0, path) + "/"};
  for (size_t begin = path + 1; begin < pattern.size();) {
    const size_t end = std::min(pattern.find('/', begin), pattern.size());
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      const auto matches = matches_in(folder, pattern.substr(begin, end - begin), end < pattern.size());
      next.insert(next.end(), matches.begin(), matches.end());
    }
    found = std::move(next);
    begin = end + 1;
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace portatune::io
