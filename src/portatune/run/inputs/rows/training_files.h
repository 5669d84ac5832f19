// The files of rows, and the facts by which a resumed run recognises them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "portatune/io/file/watched_files.h"
#include "portatune/run.h"

namespace portatune::run {

/// The words with the files of each data set of the Hub in place of its name. A word may be NAME=DATASET.
/// split   the split of a name without one; empty: the only split
/// errors  those of data::hub_dataset_files()
std::vector<std::string> with_hub_files(const std::vector<std::string>& words, const std::string& split = "");

/// The options with the files of each data set of the Hub in place of its name. Without a split, the names mean
/// "train", "validation" and "test", by the option.
/// errors  those of data::hub_dataset_files()
RunOptions with_hub_files(RunOptions options);

/// The files of paths and patterns. A folder of tables is replaced by its files; a folder of images stays one entry.
std::vector<std::string> training_files(const std::vector<std::string>& words);

/// The files of words in the form of RunOptions::validation.
std::vector<std::string> validation_files(const std::vector<std::string>& words);

/// The local files that a run reads again: those of training, validation and test rows with their indexes, and the
/// weights of the model if the run may rewind to its start. Tasks notice changes of files that rows name.
std::shared_ptr<io::WatchedFiles> watch_files(const RunOptions& a);

/// Names of the facts below, which depend on the files alone.
std::vector<std::string> facts_of_data(const std::vector<std::string>& words);

/// A fact for TrainingOptions::must_match: a hash of the local files' bytes, if there are any.
std::map<std::string, std::string> facts_of_validation_files(const std::vector<std::string>& words);

/// Facts for TrainingOptions::must_match: the number of examples, a hash of the local files' bytes, and the fingerprint
/// of each remote file, so that errors name the changed file.
/// watched  keeps the hash; may be null
std::map<std::string, std::string> facts_of_training_files(const std::vector<std::string>& words, int64_t examples,
                                                           io::WatchedFiles* watched);

}  // namespace portatune::run
