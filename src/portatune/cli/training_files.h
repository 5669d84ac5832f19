// Whether training data are those of the run that is gone on with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace portatune::cli {

/// For TrainingOptions::must_match: how many examples there are, a hash of the local files' bytes, and each remote file
/// with its fingerprint, so that the one that has changed is named.
std::map<std::string, std::string> facts_of_training_files(const std::vector<std::string>& words, int64_t examples);

}  // namespace portatune::cli
