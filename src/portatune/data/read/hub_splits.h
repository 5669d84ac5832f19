// The configurations and splits of a repository of data, by the rules of the library `datasets`.
#pragma once

#include <string>
#include <vector>

namespace portatune::data {

struct HubSplit {
  std::string name;                ///< such as "train"
  std::vector<std::string> files;  ///< paths in the repository, sorted
};

struct HubConfig {
  std::string name = "default";
  bool is_default = true;  ///< whether it is used if the user names none
  std::vector<HubSplit> splits;
};

/// The configurations of a repository: those that the metadata of its README.md lists under `configs`, or else one with
/// the splits that the names of folders and files give. Splits without tables are left out.
/// files   all paths of the repository
/// readme  content of README.md, or empty
/// where   the README.md, for errors
/// errors  DataError for `configs` of another form
std::vector<HubConfig> hub_configs(const std::vector<std::string>& files, const std::string& readme,
                                   const std::string& where);

/// The configurations of the branch refs/convert/parquet, whose files are CONFIG/SPLIT/0000.parquet. A split of which
/// the Hub converted the beginning alone is named "partial-SPLIT".
std::vector<HubConfig> converted_configs(const std::vector<std::string>& files);

}  // namespace portatune::data
