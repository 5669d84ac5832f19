// Finds the folder of a model by what a user calls it.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::hub {

/// What a folder must hold.
enum class Contents {
  kModel,     ///< config.json and weights
  kTokenizer  ///< the files of a tokenizer
};

/// The folder of `name`: the folder itself; the snapshot of a folder `models--org--name` of the Hugging Face cache; or,
/// where there is no such path, the snapshot of the Hub name `name`, `org/name` or `org/name@revision` in that cache.
/// Reads nothing but the local disk. Weights are not opened.
/// option   what error messages call the argument: "--model"
/// errors   NotFoundError if there is no such folder, or if it lacks `contents`; UsageError for a file, and for a path
///          with "~" that no shell has expanded; CheckpointError for a PEFT adapter
std::filesystem::path find_model(const std::filesystem::path& name, Contents contents, const std::string& option);

/// The cache of the Hugging Face Hub: $HF_HUB_CACHE, else $HF_HOME/hub, else ~/.cache/huggingface/hub.
std::filesystem::path hub_cache();

}  // namespace portatune::hub
