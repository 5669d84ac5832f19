#include "portatune/data/read/hub_dataset.h"

#include <algorithm>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/data/read/hub_splits.h"
#include "portatune/error.h"
#include "portatune/io/hub/hub_files.h"

namespace portatune::data {
namespace {

constexpr std::string_view kShort = "hf:", kUrl = "hf://datasets/", kConverted = "refs/convert/parquet";
constexpr int64_t kMaxReadmeBytes = 1 << 20;

// The word without its first characters "hf:" or "hf://datasets/".
std::string_view without_scheme(std::string_view word) {
  return word.substr((word.starts_with(kUrl) ? kUrl : kShort).size());
}

// What a word names.
struct Named {
  const std::string& word;
  io::HubPath repository;  // its path is the configuration
  std::string split;

  explicit Named(const std::string& word) : word(word) {
    const std::string_view rest = without_scheme(word);
    const size_t colon = rest.find(':');
    repository = io::HubPath::parse(std::string(rest.substr(0, colon)), word);
    if (colon != std::string_view::npos) split = rest.substr(colon + 1);
  }

  std::string with(const std::string& config, const std::string& split) const {
    const std::string url = io::to_url({repository.name, config});
    return std::string(kShort) + url.substr(kUrl.size()) + (split.empty() ? "" : ":" + split);
  }
};

struct Repository {
  io::HubName name;
  std::vector<HubConfig> configs;
};

std::vector<std::string> names_in(const io::HubListing& listing) {
  std::vector<std::string> names;
  for (const io::HubFile& file : listing.files) names.push_back(file.name);
  return names;
}

std::string readme_of(const io::HubListing& listing, const io::HubName& name) {
  const auto file = std::ranges::find(listing.files, "README.md", &io::HubFile::name);
  if (file == listing.files.end()) return "";
  std::string text(static_cast<size_t>(std::min(file->size, kMaxReadmeBytes)), '\0');
  text.resize(io::HubClient(name).open(*file, listing.commit)->read_at(0, text));
  return text;
}

Repository repository_of(const Named& named) {
  io::HubName name = named.repository.name;
  const io::HubListing listing = io::list_dataset(name, named.word);
  name.name = listing.name;
  const std::string readme = io::to_url({name, "README.md"});
  std::vector<HubConfig> configs = hub_configs(names_in(listing), readme_of(listing, name), readme);
  if (!configs.empty()) return {name, std::move(configs)};
  try {
    name.revision = kConverted;
    configs = converted_configs(names_in(io::list_dataset(name, named.word)));
  } catch (const NotFoundError&) {  // no such branch
  }
  if (!configs.empty()) return {name, std::move(configs)};
  throw NotFoundError({.where = named.word,
                       .given = "a data set without tables, which the Hub has not converted to Parquet",
                       .expected = "files that end in " + table_extensions()});
}

const HubConfig& config_of(const Named& named, const std::vector<HubConfig>& configs) {
  const std::string& wanted = named.repository.path;
  std::vector<std::string> names;
  for (const HubConfig& config : configs) {
    if (wanted.empty() ? config.is_default : config.name == wanted) return config;
    names.push_back(config.name);
  }
  throw UsageError({.where = named.word,
                    .given = wanted.empty() ? "no configuration" : "no configuration '" + wanted + "'",
                    .expected = "one of " + list_of(names),
                    .fix = "such as " + named.with(names.front(), named.split)});
}

const HubSplit& split_of(const Named& named, const HubConfig& config) {
  std::vector<std::string> names;
  for (const HubSplit& split : config.splits) {
    if (named.split.empty() ? config.splits.size() == 1 : split.name == named.split) return split;
    names.push_back(split.name);
  }
  const bool is_partial = std::ranges::find(names, "partial-" + named.split) != names.end();
  throw UsageError({.where = named.word,
                    .given = named.split.empty() ? "no split"
                             : is_partial        ? "a split that the Hub has converted to Parquet only in part"
                                                 : "no split '" + named.split + "'",
                    .expected = "one of " + list_of(names),
                    .fix = "such as " + named.with(named.repository.path, names.front())});
}

}  // namespace

bool is_hub_dataset(const std::string& word) {
  if (word.starts_with(kShort) && !word.starts_with("hf://")) return true;
  return word.starts_with(kUrl) && Named(word).repository.path.empty();
}

std::string with_split(const std::string& word, const std::string& split) {
  return is_hub_dataset(word) && Named(word).split.empty() ? word + ":" + split : word;
}

std::vector<std::string> hub_dataset_files(const std::string& word) {
  const Named named(word);
  const Repository repository = repository_of(named);
  std::vector<std::string> files;
  for (const std::string& file : split_of(named, config_of(named, repository.configs)).files) {
    files.push_back(io::to_url({repository.name, file}));
  }
  return tables_among(files, word);
}

}  // namespace portatune::data
