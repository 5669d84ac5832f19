// The files of a repository that Portatune reads.
#pragma once

#include <filesystem>
#include <vector>

#include "portatune/hub/download/find_model.h"
#include "portatune/io/hub/hub_client.h"

namespace portatune::hub {

/// The files to download: config.json, tokenizer, preprocessor and settings; for Contents::kModel also the weights, or
/// the index of their shards, as the last file. Of an adapter: its adapter_config.json and weights.
/// where   the model, for errors
/// errors  CheckpointError if the repository lacks config.json or weights that Portatune reads
std::vector<io::HubFile> required_files(const io::HubListing& listing, Contents contents, const std::string& where);

/// Returns whether a file is an index of weights.
bool is_weight_index(const io::HubFile& file);

/// The shards of an index.
/// index    a file for which is_weight_index() is true
/// content  the downloaded index
/// errors  CheckpointError if the repository lacks one of them; errors of io::tensor_shards()
std::vector<io::HubFile> shards_of(const io::HubFile& index, const std::filesystem::path& content,
                                   const io::HubListing& listing, const std::string& where);

}  // namespace portatune::hub
