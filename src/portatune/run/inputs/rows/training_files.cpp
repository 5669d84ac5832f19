#include "portatune/run/inputs/rows/training_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "portatune/base/text/url_secrets.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/data/read/hub_dataset.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/checksum/fingerprint.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/listing.h"
#include "portatune/io/tfrecord/tfrecord_index.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/sources.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainingData = "training_data";

// The URL without its query, which may hold a signature that changes.
std::string name_of(const std::string& url) {
  return without_secrets(io::has_listing(url) ? url : url.substr(0, url.find('?')));
}

// The files of weights of a model, or of an adapter and its model. A run that rewinds to its start reads them again.
std::vector<std::string> weight_files(const fs::path& model) {
  std::vector<std::string> files;
  std::error_code none;
  for (const fs::path& folder : std::set{model, hub::base_of(model)}) {
    const char* const suffix = hub::has_only_pickles(folder) ? ".bin" : ".safetensors";
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == suffix) files.push_back(entry.path().string());
    }
  }
  return files;
}

// The files of a folder of tables, since their bytes matter; a folder of images stays one entry.
std::vector<std::string> files_of(const std::string& word) {
  const bool holds_tables = fs::is_directory(word) && data::holds_tables(word);
  return holds_tables || io::is_remote(word) ? data::table_files({word}) : std::vector{word};
}

}  // namespace

std::vector<std::string> with_hub_files(const std::vector<std::string>& words, const std::string& split) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const size_t begin = data::is_hub_dataset(word) ? 0 : word.find('=') + 1;  // 0 without "=", too
    const std::string dataset = word.substr(begin);
    if (!data::is_hub_dataset(dataset)) {
      result.push_back(word);
      continue;
    }
    for (const std::string& file :
         data::hub_dataset_files(split.empty() ? dataset : data::with_split(dataset, split))) {
      result.push_back(word.substr(0, begin) + file);
    }
  }
  return result;
}

RunOptions with_hub_files(RunOptions options) {
  options.train = with_hub_files(options.train, "train");
  options.validation = with_hub_files(options.validation, "validation");
  options.test = with_hub_files(options.test, "test");
  return options;
}

std::vector<std::string> training_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : data::matching_files(words)) {
    const std::vector<std::string> found = files_of(word);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::vector<std::string> validation_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const NamedFiles& set : named_files(words)) {
    const std::vector<std::string> found = training_files(set.files);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::map<std::string, std::string> facts_of_validation_files(const std::vector<std::string>& words) {
  std::vector<std::string> local = validation_files(words);
  std::erase_if(local, io::is_remote);
  if (local.empty()) return {};
  return {{train::kValidationDataFact, "files with hash " + io::content_hash(local)}};
}

std::shared_ptr<io::WatchedFiles> watch_files(const RunOptions& a) {
  std::vector<std::string> words = a.train;
  for (const NamedFiles& set : named_files(a.validation)) words.insert(words.end(), set.files.begin(), set.files.end());
  words.insert(words.end(), a.test.begin(), a.test.end());
  std::erase_if(words, io::is_remote);
  std::vector<std::string> files = training_files(words);
  for (size_t i = 0, count = files.size(); i < count; ++i) {
    if (std::string index = io::index_path(files[i]); fs::exists(index)) files.push_back(std::move(index));
  }
  if (a.training.on_non_finite == OnNonFinite::kRewind && !a.training.from_config) {
    const std::vector<std::string> weights = weight_files(a.model.folder);
    files.insert(files.end(), weights.begin(), weights.end());
  }
  return std::make_shared<io::WatchedFiles>(files);
}

std::vector<std::string> facts_of_data(const std::vector<std::string>& words) {
  std::vector<std::string> names = {kTrainingData, train::kValidationDataFact};
  for (const std::string& file : training_files(words)) {
    if (io::is_remote(file)) names.push_back(name_of(file));
  }
  return names;
}

std::map<std::string, std::string> facts_of_training_files(const std::vector<std::string>& words, int64_t examples,
                                                           io::WatchedFiles* watched) {
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
  const auto hash_of = [&] { return watched != nullptr ? watched->content_hash(local) : io::content_hash(local); };
  const std::string hash = local.empty() ? "" : " of files with hash " + hash_of();
  facts[kTrainingData] = fmt::format("{} examples{}", examples, hash);
  return facts;
}

}  // namespace portatune::run
