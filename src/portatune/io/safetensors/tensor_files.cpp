#include "portatune/io/safetensors/tensor_files.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>

#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".safetensors";

std::string five_digits(int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// Restricts the names of shards, which come from a file, so that they cannot leave the folder on any system.
bool is_shard_name(std::string_view name, std::string_view suffix) {
  return name.size() <= 255 && name.ends_with(suffix) && !name.starts_with('.') &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

// Returns the names of the tensors in each file, as the index lists them.
std::map<std::string, std::set<std::string>> read_index(const fs::path& index_path, std::string_view suffix) {
  const auto weight_map = JsonObject::read(index_path).get_string_map("weight_map");
  if (weight_map.empty()) {
    throw CheckpointError({.where = index_path.string(),
                           .given = "no weight_map, or an empty one",
                           .expected = "a weight_map from tensor names to files"});
  }
  std::map<std::string, std::set<std::string>> shards;
  for (const auto& [tensor, shard] : weight_map) {
    if (!is_shard_name(shard, suffix)) {
      throw CheckpointError({.where = index_path.string() + ": tensor '" + tensor + "'",
                             .given = "the file name '" + shard + "'",
                             .expected = "the name of a file in this folder: letters, digits, '.', '_' and '-', ending "
                                         "in " +
                                         std::string(suffix)});
    }
    shards[shard].insert(tensor);
  }
  return shards;
}

void require_same_tensors(const fs::path& file, const std::vector<std::string>& tensors, std::set<std::string> expected,
                          const fs::path& index_path) {
  const std::string index = index_path.filename().string();
  for (const std::string& tensor : tensors) {
    if (expected.erase(tensor) == 1) continue;
    throw CheckpointError({.where = file.string(),
                           .given = "the tensor '" + tensor + "'",
                           .expected = "only tensors that " + index + " assigns to this file"});
  }
  if (expected.empty()) return;
  throw CheckpointError({.where = file.string(),
                         .given = "no tensor '" + *expected.begin() + "'",
                         .expected = "every tensor that " + index + " assigns to this file"});
}

}  // namespace

std::string tensor_file(const std::string& stem) { return stem + std::string(kSuffix); }
std::string tensor_index_file(const std::string& stem) { return tensor_file(stem) + ".index.json"; }
std::string tensor_shard_file(const std::string& stem, int64_t shard, int64_t shards) {
  return tensor_file(stem + "-" + five_digits(shard + 1) + "-of-" + five_digits(shards));
}

std::vector<int64_t> divide_tensors(std::span<const NamedTensorType> tensors, int64_t shards) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t i) { return tensors[i].type.bytes(); });
  std::vector<int64_t> shard_of(tensors.size()), bytes(static_cast<size_t>(shards));
  for (const size_t i : order) {
    const auto least = std::ranges::min_element(bytes);
    *least += tensors[i].type.bytes();
    shard_of[i] = least - bytes.begin();
  }
  return shard_of;
}

void write_tensor_index(const fs::path& folder, const std::string& stem, std::span<const NamedTensorType> tensors,
                        std::span<const int64_t> shard_of) {
  const int64_t shards = std::ranges::max(shard_of) + 1;
  std::map<std::string, std::string> weight_map;
  int64_t bytes = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    weight_map[tensors[i].name] = tensor_shard_file(stem, shard_of[i], shards);
    bytes += tensors[i].type.bytes();
  }
  const nlohmann::ordered_json index = {{"metadata", {{"total_size", bytes}}}, {"weight_map", weight_map}};
  write_file(folder / tensor_index_file(stem), index.dump(2) + "\n");
}

void open_shards(const fs::path& index, std::string_view suffix,
                 const std::function<std::vector<std::string>(const fs::path&)>& open) {
  for (const auto& [shard, tensors] : read_index(index, suffix)) {
    const fs::path file = index.parent_path() / shard;
    if (!fs::exists(file)) {
      throw CheckpointError({.where = index.string(),
                             .given = "the shard " + shard + ", which is missing from the folder",
                             .expected = "every shard of the index",
                             .fix = "copy or download the folder again"});
    }
    require_same_tensors(file, open(file), tensors, index);
  }
}

std::vector<std::string> tensor_shards(const fs::path& index, std::string_view suffix) {
  std::vector<std::string> names;
  for (const auto& [shard, tensors] : read_index(index, suffix)) names.push_back(shard);
  return names;
}

std::vector<SafetensorsFile> open_tensor_files(const fs::path& folder, const std::string& stem) {
  std::vector<SafetensorsFile> files;
  const auto open = [&](const fs::path& file) {
    files.push_back(SafetensorsFile::open(file));
    std::vector<std::string> names;
    for (const SafetensorsEntry& entry : files.back().entries()) names.push_back(entry.name);
    return names;
  };
  const fs::path single = folder / tensor_file(stem), index = folder / tensor_index_file(stem);
  if (fs::exists(single)) {
    open(single);
  } else if (fs::exists(index)) {
    open_shards(index, kSuffix, open);
  }
  return files;
}

}  // namespace portatune::io
