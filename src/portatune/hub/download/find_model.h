// Finds the folder of a model from the name that a user gives.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "portatune/io/hub/hub_name.h"

namespace portatune::hub {

/// The required contents of a folder.
enum class Contents {
  kModel,      ///< config.json and weights, or an adapter
  kTokenizer,  ///< the files of a tokenizer
  kConfig      ///< config.json, for a model that is trained from scratch
};

/// Downloads a model of the Hub and returns its snapshot in the cache.
using Download = std::function<std::filesystem::path(const io::HubName&)>;

/// The folder of `name`: the folder itself; the snapshot of a folder `models--org--name` of the Hugging Face cache; or,
/// if there is no such path, the snapshot of the Hub name `name`, `org/name` or `org/name@revision` in that cache.
/// Reads only the local disk, and no weights, unless `download` is called.
/// option    name of the argument in error messages: "--model"
/// download  called for a Hub name that the cache lacks, unless the environment forbids requests; empty: an error
/// errors    NotFoundError if there is no such folder, or if it lacks `contents`; UsageError for a file, and for a path
///           with a "~" that no shell has expanded; errors of `download`
std::filesystem::path find_model(const std::filesystem::path& name, Contents contents, const std::string& option,
                                 const Download& download = {});

}  // namespace portatune::hub
