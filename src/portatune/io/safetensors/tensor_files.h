// Tensors in one safetensors file or in several shards, as in Hugging Face model folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"

namespace portatune::io {

/// The tensors of `stem` ("model") are in `model.safetensors`, or in several shards. `model.safetensors.index.json`
/// then maps each tensor to its shard.
std::string tensor_file(const std::string& stem);
std::string tensor_index_file(const std::string& stem);
/// The name of a shard, with `shard` from 0: "model-00002-of-00004.safetensors" for shard 1 of 4.
std::string tensor_shard_file(const std::string& stem, int64_t shard, int64_t shards);

/// Returns the shard of each tensor. Assigns the largest tensors first, each to the shard with the fewest bytes, so
/// that shards have about equal sizes. With fewer tensors than shards the last shards are empty.
std::vector<int64_t> divide_tensors(std::span<const NamedTensorType> tensors, int64_t shards);

/// Writes the index.
/// shard_of  shard of each tensor, from divide_tensors()
/// errors    IoError
void write_tensor_index(const std::filesystem::path& folder, const std::string& stem,
                        std::span<const NamedTensorType> tensors, std::span<const int64_t> shard_of);

/// The names of the shards of an index, sorted. They name files of one folder.
/// suffix  the ending of each name
/// errors  CheckpointError if the index is damaged or contains an invalid file name; NotFoundError; IoError
std::vector<std::string> tensor_shards(const std::filesystem::path& index, std::string_view suffix);

/// Opens the shards of an index, in the order of their names.
/// suffix  the ending of each shard's name: ".safetensors"
/// open    opens a shard and returns the names of its tensors
/// errors  CheckpointError if a shard is missing, if the index contains an invalid file name, or if index and shards
///         contain different tensors; errors of `open`
void open_shards(const std::filesystem::path& index, std::string_view suffix,
                 const std::function<std::vector<std::string>(const std::filesystem::path&)>& open);

/// Opens the single file or else all shards of the index; returns nothing if there is no index either.
/// errors  those of open_shards and SafetensorsFile::open
std::vector<SafetensorsFile> open_tensor_files(const std::filesystem::path& folder, const std::string& stem);

}  // namespace portatune::io
