#include "portatune/cli/training_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "portatune/base/url_secrets.h"
#include "portatune/data/file_kinds.h"
#include "portatune/io/cloud.h"
#include "portatune/io/content_hash.h"
#include "portatune/io/fingerprint.h"
#include "portatune/io/random_access_file.h"
#include "portatune/sources.h"

namespace portatune::cli {
namespace {

// Without the query, which may hold a signature, another each time.
std::string name_of(const std::string& url) {
  return without_secrets(io::is_cloud(url) ? url : url.substr(0, url.find('?')));
}

// Of a folder of tables the files in it, whose bytes decide; a folder of images stays one.
std::vector<std::string> files_of(const std::string& word) {
  const bool holds_tables = std::filesystem::is_directory(word) && data::holds_tables(word);
  return holds_tables || io::is_remote(word) ? data::table_files({word}) : std::vector{word};
}

}  // namespace

std::vector<std::string> training_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : data::matching_files(words)) {
    const std::vector<std::string> found = files_of(word);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::map<std::string, std::string> facts_of_training_files(const std::vector<std::string>& words, int64_t examples) {
  std::map<std::string, std::string> facts;
  std::vector<std::string> local;
  for (const std::string& file : training_files(words)) {
    if (!io::is_remote(file)) {
      local.push_back(file);
      continue;
    }
    std::string& fact = facts[name_of(file)];
    fact += (fact.empty() ? "fingerprint " : ", ") + io::fingerprint(file);
  }
  const std::string hash = local.empty() ? "" : " of files with hash " + io::content_hash(local);
  facts["training_data"] = fmt::format("{} examples{}", examples, hash);
  return facts;
}

}  // namespace portatune::cli
