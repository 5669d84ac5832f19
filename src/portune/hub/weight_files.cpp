#include "portune/hub/weight_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "portune/error.h"
#include "portune/io/json.h"

namespace portune::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr std::string_view kShardSuffix = ".safetensors";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A shard's name comes out of a file, so it must not be able to leave the folder on any system.
bool is_shard_name(std::string_view name) {
  return name.size() <= 255 && name.ends_with(kShardSuffix) && !name.starts_with('.') &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

// Shard -> the tensors that the index expects there.
std::map<std::string, std::set<std::string>> read_index(const fs::path& index_path) {
  const auto weight_map = io::JsonObject::read(index_path).get_string_map("weight_map");
  if (weight_map.empty()) {
    throw CheckpointError({.where = index_path.string(),
                           .given = "no weight_map, or an empty one",
                           .expected = "a weight_map from tensor names to files"});
  }
  std::map<std::string, std::set<std::string>> shards;
  for (const auto& [tensor, shard] : weight_map) {
    if (!is_shard_name(shard)) {
      throw CheckpointError({.where = index_path.string() + ": tensor '" + tensor + "'",
                             .given = "the file name '" + shard + "'",
                             .expected = "the name of a file in this folder: letters, digits, '.', '_' and '-', ending "
                                         "in .safetensors"});
    }
    shards[shard].insert(tensor);
  }
  return shards;
}

void require_same_tensors(const io::SafetensorsFile& file, std::set<std::string> expected) {
  for (const io::SafetensorsEntry& entry : file.entries()) {
    if (expected.erase(entry.name) == 1) continue;
    throw CheckpointError({.where = file.path().string(),
                           .given = "the tensor '" + entry.name + "'",
                           .expected = "only tensors that " + std::string(kIndexFile) + " gives to this file"});
  }
  if (expected.empty()) return;
  throw CheckpointError({.where = file.path().string(),
                         .given = "no tensor '" + *expected.begin() + "'",
                         .expected = "every tensor that " + std::string(kIndexFile) + " gives to this file"});
}

std::vector<io::SafetensorsFile> open_shards(const fs::path& folder, const fs::path& index_path) {
  std::vector<io::SafetensorsFile> files;
  for (const auto& [shard, tensors] : read_index(index_path)) {
    if (!fs::exists(folder / shard)) {
      throw CheckpointError({.where = index_path.string(),
                             .given = "the shard " + shard + ", which is not in the folder",
                             .expected = "every shard of the index",
                             .fix = "copy or download the model again"});
    }
    files.push_back(io::SafetensorsFile::open(folder / shard));
    require_same_tensors(files.back(), tensors);
  }
  return files;
}

bool is_pickle(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kSuffixes = {".bin", ".pt", ".pth", ".ckpt"};
  return std::find(kSuffixes.begin(), kSuffixes.end(), path.extension().string()) != kSuffixes.end();
}

std::string conversion_advice(const fs::path& folder, const std::string& architecture) {
  const std::string model = architecture.empty() ? "AutoModel" : architecture;
  const std::string path = folder.string();
  return "convert once, in Python, a model that you trust:\n"
         "              from transformers import " +
         model +
         "\n"
         "              " +
         model + ".from_pretrained('" + path + "').save_pretrained('" + path + "')";
}

[[noreturn]] void throw_no_weights(const fs::path& folder, const std::string& architecture) {
  std::set<std::string> foreign;
  bool has_pytorch_weights = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (!is_pickle(path) && path.extension() != ".h5" && path.extension() != ".msgpack") continue;
    foreign.insert(path.filename().string());
    has_pytorch_weights |= path.filename().string().starts_with("pytorch_model");
  }
  const std::string expected = std::string(kSingleFile) + " or " + std::string(kIndexFile);
  if (foreign.empty()) {
    throw CheckpointError({.where = folder.string(), .given = "no weights", .expected = expected});
  }
  throw CheckpointError({.where = folder.string(),
                         .given = "weights as " + *foreign.begin() + " only",
                         .expected = expected + "; Python pickles can run any code and are never read, nor is HDF5",
                         .fix = has_pytorch_weights ? conversion_advice(folder, architecture) : ""});
}

}  // namespace

std::vector<io::SafetensorsFile> open_weight_files(const fs::path& folder, const std::string& architecture) {
  if (fs::exists(folder / kSingleFile)) {
    std::vector<io::SafetensorsFile> files;
    files.push_back(io::SafetensorsFile::open(folder / kSingleFile));
    return files;
  }
  if (fs::exists(folder / kIndexFile)) return open_shards(folder, folder / kIndexFile);
  throw_no_weights(folder, architecture);
}

}  // namespace portune::hub
