#include "portatune/hub/weight_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "portatune/error.h"
#include "portatune/io/safetensors/tensor_files.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStem = "model";

const WeightFormat& pickles() { return weight_formats().back(); }

std::vector<io::PytorchFile> open_pytorch_files(const fs::path& folder) {
  std::vector<io::PytorchFile> files;
  const auto open = [&](const fs::path& file) {
    files.push_back(io::PytorchFile::open(file));
    std::vector<std::string> names;
    for (const NamedTensorView& tensor : files.back().tensors()) names.push_back(tensor.name);
    return names;
  };
  if (fs::exists(folder / pickles().file)) {
    open(folder / pickles().file);
  } else if (fs::exists(folder / pickles().index)) {
    io::open_shards(folder / pickles().index, pickles().suffix, open);
  }
  return files;
}

bool is_of_another_format(const fs::path& path) {
  constexpr std::array<std::string_view, 6> kSuffixes = {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack"};
  return std::ranges::find(kSuffixes, path.extension().string()) != kSuffixes.end();
}

}  // namespace

void throw_no_weights(const fs::path& folder) {
  std::set<std::string> foreign;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_of_another_format(entry.path())) foreign.insert(entry.path().filename().string());
  }
  throw CheckpointError(
      {.where = folder.string(),
       .given = foreign.empty() ? "no weights" : "weights as " + *foreign.begin() + " only",
       .expected = weight_formats().front().file + " or " + pickles().file + ", or shards with their index.json",
       .fix = "portatune fit --from-config trains a model without weights from scratch"});
}

WeightFormat safetensors_of(const std::string& stem) {
  return {.file = io::tensor_file(stem), .index = io::tensor_index_file(stem), .suffix = ".safetensors"};
}

const std::array<WeightFormat, 2>& weight_formats() {
  static const std::array<WeightFormat, 2> formats = {
      safetensors_of(kStem), {.file = "pytorch_model.bin", .index = "pytorch_model.bin.index.json", .suffix = ".bin"}};
  return formats;
}

std::optional<WeightFiles> WeightFiles::find(const fs::path& folder) {
  WeightFiles files;
  files.safetensors_ = io::open_tensor_files(folder, kStem);
  if (files.safetensors_.empty()) files.pytorch_ = open_pytorch_files(folder);
  if (files.safetensors_.empty() && files.pytorch_.empty()) return std::nullopt;
  return files;
}

std::vector<NamedTensorView> WeightFiles::tensors() const {
  std::vector<NamedTensorView> tensors;
  for (const io::SafetensorsFile& file : safetensors_) {
    for (const io::SafetensorsEntry& entry : file.entries()) tensors.push_back({entry.name, file.view(entry)});
  }
  for (const io::PytorchFile& file : pytorch_) {
    tensors.insert(tensors.end(), file.tensors().begin(), file.tensors().end());
  }
  return tensors;
}

void WeightFiles::require_whole() const {
  for (const io::SafetensorsFile& file : safetensors_) file.require_whole();
  for (const io::PytorchFile& file : pytorch_) file.require_whole();
}

bool has_only_pickles(const fs::path& folder) {
  const auto has = [&](const WeightFormat& format) {
    return fs::exists(folder / format.file) || fs::exists(folder / format.index);
  };
  return !has(weight_formats().front()) && has(pickles());
}

}  // namespace portatune::hub
