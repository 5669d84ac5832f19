// The files of training data, and whether these are those of the run that is resumed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/io/file/watched_files.h"

namespace portatune::cli {

/// The files that words of the command line name, with those in a folder of tables; a folder of images stays one.
std::vector<std::string> training_files(const std::vector<std::string>& words);

/// The same of words of --validation.
std::vector<std::string> validation_files(const std::vector<std::string>& words);

/// The local files that a run reads rows from, in --train and --validation. Images that a table names are not watched.
std::shared_ptr<io::WatchedFiles> watch_files(const FitArguments& a);

/// Names of the facts below: those that the files alone decide about.
std::vector<std::string> facts_of_data(const std::vector<std::string>& words);

/// For TrainingOptions::must_match: how many examples there are, a hash of the local files' bytes, and each remote file
/// with its fingerprint, so that the one that has changed is named.
/// watched  remembers the hash; may be null
std::map<std::string, std::string> facts_of_training_files(const std::vector<std::string>& words, int64_t examples,
                                                           io::WatchedFiles* watched);

}  // namespace portatune::cli
