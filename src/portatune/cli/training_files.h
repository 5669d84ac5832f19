// The files of training data, and whether these are those of the run that is resumed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace portatune::cli {

/// The files that words of the command line name, with those in a folder of tables; a folder of images stays one.
std::vector<std::string> training_files(const std::vector<std::string>& words);

/// For TrainingOptions::must_match: how many examples there are, a hash of the local files' bytes, and each remote file
/// with its fingerprint, so that the one that has changed is named.
std::map<std::string, std::string> facts_of_training_files(const std::vector<std::string>& words, int64_t examples);

}  // namespace portatune::cli
