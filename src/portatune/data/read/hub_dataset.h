// Data sets of the Hugging Face Hub by name: hf:org/name, hf:org/name@revision/config:split.
#pragma once

#include <string>
#include <vector>

namespace portatune::data {

/// Returns whether a word names a data set: hf:org/name..., or hf://datasets/org/name without a file or folder.
bool is_hub_dataset(const std::string& word);

/// The word with a split, if it names a data set without one. Other words stay unchanged.
std::string with_split(const std::string& word, const std::string& split);

/// The URLs of the files of one split, sorted: tables of the repository, or of its conversion to Parquet by the Hub.
/// errors  UsageError for a missing or unknown configuration or split, and for a part of a data set that the Hub has
///         not converted completely; those of io::list_dataset(); DataError for metadata of another form
std::vector<std::string> hub_dataset_files(const std::string& word);

}  // namespace portatune::data
