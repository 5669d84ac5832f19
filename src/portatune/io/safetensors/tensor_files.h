// Tensors in one safetensors file, or in shards beside each other: the two forms that Hugging Face has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"

namespace portatune::io {

/// The tensors of a `stem` ("model") are in `model.safetensors`, or in several files that
/// `model.safetensors.index.json` lists: which tensor is in which.
std::string tensor_file(const std::string& stem);
std::string tensor_index_file(const std::string& stem);
/// "model-00002-of-00004.safetensors" for shard 1 of 4.
std::string tensor_shard_file(const std::string& stem, int64_t shard, int64_t shards);

/// To which of `shards` files each tensor goes, so that they are about equally long: the largest first, each to the
/// file that has least by then. Where there are fewer tensors than files the last ones get none.
std::vector<int64_t> divide_tensors(std::span<const NamedTensorType> tensors, int64_t shards);

/// Writes the index.
/// shard_of  each tensor's, as divide_tensors() tells
/// errors   IoError
void write_tensor_index(const std::filesystem::path& folder, const std::string& stem,
                        std::span<const NamedTensorType> tensors, std::span<const int64_t> shard_of);

/// Opens the one file or, if there is none, all shards of the index; nothing if there is no index either.
/// errors  CheckpointError if a shard is missing, if the index gives it another name than that of a file in this folder,
///         or if index and shards do not have the same tensors; those of SafetensorsFile::open
std::vector<SafetensorsFile> open_tensor_files(const std::filesystem::path& folder, const std::string& stem);

}  // namespace portatune::io
