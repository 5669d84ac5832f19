// Finds the folder of a model from the name that a user gives.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::hub {

/// The required contents of a folder.
enum class Contents {
  kModel,     ///< config.json and weights, or an adapter
  kTokenizer  ///< the files of a tokenizer
};

/// The folder of `name`: the folder itself; the snapshot of a folder `models--org--name` of the Hugging Face cache; or,
/// if there is no such path, the snapshot of the Hub name `name`, `org/name` or `org/name@revision` in that cache. It
/// reads only the local disk, and no weights.
/// option   name of the argument in error messages: "--model"
/// errors   NotFoundError if there is no such folder, or if it lacks `contents`; UsageError for a file, and for a path
///          with a "~" that no shell has expanded
std::filesystem::path find_model(const std::filesystem::path& name, Contents contents, const std::string& option);

/// The cache of the Hugging Face Hub: $HF_HUB_CACHE, else $HF_HOME/hub, else ~/.cache/huggingface/hub.
std::filesystem::path hub_cache();

}  // namespace portatune::hub
