#include "portatune/hub/download/required_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/model_folder.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/safetensors/tensor_files.h"

namespace portatune::hub {
namespace {

constexpr const char* kConfig = "config.json";
constexpr const char* kSettings = "portatune.json";  // written by portatune fit, read by evaluate and predict

// A file by which sentence-transformers makes embeddings of a model, such as 1_Pooling/config.json.
bool is_of_embeddings(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"modules.json", "sentence_bert_config.json",
                                                      "config_sentence_transformers.json"};
  constexpr std::string_view kPooling = "Pooling/config.json";
  const bool is_pooling = name.ends_with(kPooling) && std::ranges::count(name, '/') == 1;
  return is_pooling || std::ranges::find(kNames, name) != kNames.end();
}

const io::HubFile* find(const io::HubListing& listing, std::string_view name) {
  const auto found = std::ranges::find(listing.files, name, &io::HubFile::name);
  return found == listing.files.end() ? nullptr : &*found;
}

const io::HubFile& weights(const io::HubListing& listing, const std::string& where) {
  std::vector<std::string> names;
  for (const WeightFormat& format : weight_formats()) {
    for (const std::string& name : {format.file, format.index}) {
      if (const io::HubFile* file = find(listing, name)) return *file;
      names.push_back(name);
    }
  }
  throw CheckpointError(
      {.where = where, .given = "a repository without weights", .expected = "one of " + list_of(names)});
}

// The format whose index a file is; null for other files.
const WeightFormat* format_of_index(const io::HubFile& file) {
  const auto found = std::ranges::find(weight_formats(), file.name, &WeightFormat::index);
  return found == weight_formats().end() ? nullptr : &*found;
}

const io::HubFile& require(const io::HubListing& listing, const std::string& name, const std::string& where) {
  if (const io::HubFile* file = find(listing, name)) return *file;
  throw CheckpointError({.where = where,
                         .given = "a repository without " + name,
                         .expected = "a model in the layout of transformers, or an adapter in that of peft"});
}

}  // namespace

std::vector<io::HubFile> required_files(const io::HubListing& listing, Contents contents, const std::string& where) {
  std::vector<io::HubFile> files;
  for (const io::HubFile& file : listing.files) {
    if (file.name == kConfig || file.name == kSettings || is_companion_file(file.name)) files.push_back(file);
  }
  if (contents == Contents::kConfig) require(listing, kConfig, where);
  if (contents != Contents::kModel) return files;
  if (const io::HubFile* adapter = find(listing, kAdapterConfig)) {
    files.push_back(*adapter);
    files.push_back(require(listing, safetensors_of(kAdapterStem).file, where));
    return files;
  }
  require(listing, kConfig, where);
  std::ranges::copy_if(listing.files, std::back_inserter(files),
                       [](const io::HubFile& file) { return is_of_embeddings(file.name); });
  files.push_back(weights(listing, where));
  return files;
}

bool is_weight_index(const io::HubFile& file) { return format_of_index(file) != nullptr; }

std::vector<io::HubFile> shards_of(const io::HubFile& index, const std::filesystem::path& content,
                                   const io::HubListing& listing, const std::string& where) {
  std::vector<io::HubFile> shards;
  for (const std::string& name : io::tensor_shards(content, format_of_index(index)->suffix)) {
    const io::HubFile* shard = find(listing, name);
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
