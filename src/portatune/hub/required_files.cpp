#include "portatune/hub/required_files.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/safetensors/tensor_files.h"

namespace portatune::hub {
namespace {

constexpr const char* kWeights = "model";
constexpr const char* kConfig = "config.json";
constexpr const char* kPytorchIndex = "pytorch_model.bin.index.json";
constexpr const char* kSettings = "portatune.json";  // written by portatune fit, read by evaluate and predict

const HubFile* find(const HubListing& listing, std::string_view name) {
  const auto found = std::ranges::find(listing.files, name, &HubFile::name);
  return found == listing.files.end() ? nullptr : &*found;
}

// The files of weights or the indexes of their shards, in the order in which WeightFiles looks for them. This list alone
// decides which formats are downloaded, and which of them if there are several.
std::vector<std::string> weight_files() {
  return {io::tensor_file(kWeights), io::tensor_index_file(kWeights), "pytorch_model.bin", kPytorchIndex};
}

const HubFile& weights(const HubListing& listing, const std::string& where) {
  for (const std::string& name : weight_files()) {
    if (const HubFile* file = find(listing, name)) return *file;
  }
  throw CheckpointError({.where = where,
                         .given = "a repository without weights",
                         .expected = "one of " + list_of(weight_files())});
}

const HubFile& require(const HubListing& listing, const std::string& name, const std::string& where) {
  if (const HubFile* file = find(listing, name)) return *file;
  throw CheckpointError({.where = where,
                         .given = "a repository without " + name,
                         .expected = "a model in the layout of transformers, or an adapter in that of peft"});
}

}  // namespace

std::vector<HubFile> required_files(const HubListing& listing, Contents contents, const std::string& where) {
  std::vector<HubFile> files;
  for (const HubFile& file : listing.files) {
    if (file.name == kConfig || file.name == kSettings || is_companion_file(file.name)) files.push_back(file);
  }
  if (contents == Contents::kTokenizer) return files;
  if (const HubFile* adapter = find(listing, kAdapterConfig)) {
    files.push_back(*adapter);
    files.push_back(require(listing, io::tensor_file(kAdapterStem), where));
    return files;
  }
  require(listing, kConfig, where);
  files.push_back(weights(listing, where));
  return files;
}

bool is_weight_index(const HubFile& file) {
  return file.name == io::tensor_index_file(kWeights) || file.name == kPytorchIndex;
}

std::vector<HubFile> shards_of(const HubFile& index, const std::filesystem::path& content, const HubListing& listing,
                               const std::string& where) {
  std::vector<HubFile> shards;
  for (const std::string& name : io::tensor_shards(content, index.name == kPytorchIndex ? ".bin" : ".safetensors")) {
    const HubFile* shard = find(listing, name);
    if (shard == nullptr) {
      throw CheckpointError({.where = where,
                             .given = "a repository without the shard " + name,
                             .expected = "every shard of " + index.name});
    }
    shards.push_back(*shard);
  }
  return shards;
}

}  // namespace portatune::hub
