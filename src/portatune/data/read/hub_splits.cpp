#include "portatune/data/read/hub_splits.h"

#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string_view>

#include "portatune/data/read/file_kinds.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using Names = std::vector<std::string>;

// Patterns of the files of each split.
using Patterns = std::vector<std::pair<std::string, Names>>;

Names parts_of(const std::string& path) {
  Names parts;
  for (const auto part : std::views::split(path, '/')) {
    if (part.begin() != part.end()) parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

// A part "**" matches any number of folders, and at the end of a pattern everything below.
bool matches(std::span<const std::string> path, std::span<const std::string> pattern) {
  if (path.empty() || pattern.empty()) return path.empty() && pattern.empty();
  if (pattern[0] == "**") {
    if (pattern.size() == 1 || matches(path, pattern.subspan(1))) return true;
    return matches(path.subspan(1), pattern);
  }
  return fnmatch(pattern[0].c_str(), path[0].c_str(), 0) == 0 && matches(path.subspan(1), pattern.subspan(1));
}

// The number of hidden and special names, which a pattern matches only if it names them.
int64_t hidden_parts(const Names& parts) {
  return std::ranges::count_if(parts, [](const std::string& part) {
    return part.starts_with("__") || (part.starts_with('.') && part != "." && part != "..");
  });
}

bool matches(const std::string& path, const std::string& pattern) {
  const Names parts = parts_of(path), wanted = parts_of(pattern);
  return matches(parts, wanted) && hidden_parts(parts) == hidden_parts(wanted);
}

Names matches_among(const Names& files, const Names& patterns) {
  Names found;
  std::ranges::copy_if(files, std::back_inserter(found), [&](const std::string& file) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(file, pattern); });
  });
  return found;
}

std::vector<HubSplit> splits_of(const Names& files, const Patterns& patterns) {
  std::vector<HubSplit> splits;
  for (const auto& [name, of_split] : patterns) {
    Names found = matches_among(files, of_split);
    if (!found.empty()) splits.push_back({name, std::move(found)});
  }
  return splits;
}

struct Keywords {
  const char* split;
  std::vector<const char*> words;
};
const Keywords kKeywords[] = {{"train", {"train", "training"}},
                              {"validation", {"validation", "valid", "dev", "val"}},
                              {"test", {"test", "testing", "eval", "evaluation"}}};

// The patterns of all splits: each form with a keyword in place of "?".
Patterns with_keywords(std::initializer_list<const char*> forms) {
  Patterns patterns;
  for (const Keywords& keywords : kKeywords) {
    patterns.push_back({keywords.split, {}});
    for (const char* word : keywords.words) {
      for (std::string form : forms) patterns.back().second.push_back(form.replace(form.find('?'), 1, word));
    }
  }
  return patterns;
}

// Files such as data/train-00000-of-00002.parquet, whose splits may have any name.
Patterns of_shards(const Names& files) {
  const std::string number = "-[0-9][0-9][0-9][0-9][0-9]", end = number + "-of" + number + "*.*", folder = "data/";
  std::set<std::string> others;
  for (const std::string& file : files) {
    if (!matches(file, folder + "*" + end)) continue;
    const std::string name = file.substr(folder.size());
    others.insert(name.substr(0, name.rfind("-of-") - std::string("-00000").size()));
  }
  Patterns patterns;
  const auto add = [&](const std::string& split) { patterns.push_back({split, {folder + split + end}}); };
  for (const Keywords& keywords : kKeywords) {
    if (others.erase(keywords.split) > 0) add(keywords.split);
  }
  std::ranges::for_each(others, add);
  return patterns;
}

std::vector<HubSplit> splits_by_names(const Names& files) {
  const Patterns in_order[] = {
      of_shards(files),
      with_keywords({"**/?/**", "**/?[-._ 0-9]*/**", "**/*[-._ 0-9]?/**", "**/*[-._ 0-9]?[-._ 0-9]*/**"}),
      with_keywords({"**/?[-._ 0-9]*", "**/*[-._ 0-9]?[-._ 0-9]*"}),
      {{"train", {"**"}}},
  };
  for (const Patterns& patterns : in_order) {
    if (std::vector<HubSplit> splits = splits_of(files, patterns); !splits.empty()) return splits;
  }
  return {};
}

Names names_in(const YAML::Node& node) { return node.IsScalar() ? Names{node.as<std::string>()} : node.as<Names>(); }

// The value of data_files: a path, paths, or paths by split.
Patterns patterns_in(const YAML::Node& files) {
  if (!files.IsSequence() || files.size() == 0 || !files[0].IsMap()) return {{"train", names_in(files)}};
  Patterns patterns;
  for (const YAML::Node& split : files) {
    patterns.push_back({split["split"].as<std::string>(), names_in(split["path"])});
  }
  return patterns;
}

HubConfig config_in(const YAML::Node& node, const Names& files, bool is_only) {
  HubConfig config{.name = node["config_name"].as<std::string>(), .is_default = is_only, .splits = {}};
  if (config.name == "default" || node["default"].as<bool>(false)) config.is_default = true;
  const std::string folder = node["data_dir"].as<std::string>("");
  const std::string prefix = folder.empty() || folder.ends_with('/') ? folder : folder + "/";
  Names inside;
  for (const std::string& file : files) {
    if (file.starts_with(prefix)) inside.push_back(file.substr(prefix.size()));
  }
  config.splits = node["data_files"] ? splits_of(inside, patterns_in(node["data_files"])) : splits_by_names(inside);
  for (HubSplit& split : config.splits) {
    for (std::string& file : split.files) file.insert(0, prefix);
  }
  return config;
}

// The YAML between two lines "---" at the beginning of a README.md, after white space or none, as in huggingface_hub.
std::string metadata_in(std::string_view readme) {
  readme.remove_prefix(std::min(readme.find_first_not_of(" \t\r\n"), readme.size()));
  if (!readme.starts_with("---\n") && !readme.starts_with("---\r\n")) return "";
  readme.remove_prefix(3);
  const size_t end = readme.find("\n---");
  return end == std::string_view::npos ? "" : std::string(readme.substr(0, end + 1));
}

std::vector<HubConfig> described_configs(const Names& files, const std::string& readme) {
  const YAML::Node metadata = YAML::Load(metadata_in(readme));
  std::vector<HubConfig> configs;
  if (!metadata.IsMap() || !metadata["configs"]) return configs;
  const YAML::Node nodes = metadata["configs"];
  for (const YAML::Node& node : nodes) configs.push_back(config_in(node, files, nodes.size() == 1));
  return configs;
}

}  // namespace

std::vector<HubConfig> hub_configs(const Names& files, const std::string& readme, const std::string& where) {
  Names tables;
  std::ranges::copy_if(files, std::back_inserter(tables), [](const std::string& file) { return is_table(file); });
  std::ranges::sort(tables);
  try {
    std::vector<HubConfig> configs = described_configs(tables, readme);
    if (configs.empty()) configs = {{.splits = splits_by_names(tables)}};
    std::erase_if(configs, [](const HubConfig& config) { return config.splits.empty(); });
    return configs;
  } catch (const YAML::Exception& error) {
    throw DataError({.where = where,
                     .given = "metadata of another form: " + error.msg,
                     .expected = "`configs`, each with config_name and data_files",
                     .fix = "name the files: hf://datasets/org/name/folder/*.parquet"});
  }
}

std::vector<HubConfig> converted_configs(const Names& files) {
  std::map<std::string, std::map<std::string, Names>> found;
  for (const std::string& file : files) {
    const Names parts = parts_of(file);
    if (parts.size() == 3 && is_table(file)) found[parts[0]][parts[1]].push_back(file);
  }
  std::vector<HubConfig> configs;
  for (auto& [name, splits] : found) {
    HubConfig& config = configs.emplace_back(HubConfig{.name = name, .splits = {}});
    config.is_default = found.size() == 1 || name == "default";
    for (auto& [split, of_split] : splits) {
      std::ranges::sort(of_split);
      config.splits.push_back({split, std::move(of_split)});
    }
  }
  return configs;
}

}  // namespace portatune::data
