#include "portatune/hub/model_folder.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "portatune/error.h"
#include "portatune/hub/config_edit.h"
#include "portatune/io/file/file.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

// The current name of a parameter in checkpoints from before PyTorch renamed it, such as BERT's first ones and filters
// of wav2vec 2.0 with a norm.
std::string current_name(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRenamed{
      {{"LayerNorm.gamma", "LayerNorm.weight"},
       {"LayerNorm.beta", "LayerNorm.bias"},
       {".conv.weight_g", ".conv.parametrizations.weight.original0"},
       {".conv.weight_v", ".conv.parametrizations.weight.original1"}}};
  for (const auto& [old_end, new_end] : kRenamed) {
    if (name.ends_with(old_end)) return name.replace(name.size() - old_end.size(), old_end.size(), new_end);
  }
  return name;
}

std::vector<NamedTensorView> sorted_by_name(std::vector<NamedTensorView> tensors) {
  for (NamedTensorView& tensor : tensors) tensor.name = current_name(std::move(tensor.name));
  std::ranges::sort(tensors, {}, &NamedTensorView::name);
  return tensors;
}

void refuse_duplicates(std::span<const NamedTensorView> tensors, const fs::path& folder) {
  const auto twin =
      std::adjacent_find(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twin == tensors.end()) return;
  throw CheckpointError({.where = folder.string(),
                         .given = "the tensor '" + twin->name + "' twice, in two shards or under an old and a new name",
                         .expected = "each tensor once"});
}

// Reads the files, because a mapped file changes with the file on disk.
std::vector<CompanionFile> read_companions(const fs::path& folder) {
  std::vector<CompanionFile> companions;
  for (const fs::path& inner : {folder, folder / kTemplateFolder}) {
    if (!fs::is_directory(inner)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(inner)) {
      std::string name = entry.path().lexically_relative(folder).string();
      if (!is_companion_file(name) || !entry.is_regular_file()) continue;
      companions.push_back({std::move(name), io::MappedFile::open(entry.path(), io::FileAccess::kRead)});
    }
  }
  std::ranges::sort(companions, {}, &CompanionFile::name);
  return companions;
}

}  // namespace

// The files that transformers reads beside config and weights. The list names what to copy, because a folder may hold
// anything, such as the training state and the optimizer of its run.
bool is_companion_file(std::string_view name) {
  constexpr std::array<std::string_view, 22> kNames = {"tokenizer.json",
                                                       "tokenizer_config.json",
                                                       "special_tokens_map.json",
                                                       "added_tokens.json",
                                                       "vocab.txt",
                                                       "vocab.json",
                                                       "merges.txt",
                                                       "bpe.codes",
                                                       "spiece.model",
                                                       "sentencepiece.model",
                                                       "sentencepiece.bpe.model",
                                                       "spm.model",
                                                       "source.spm",
                                                       "target.spm",
                                                       "target_vocab.json",
                                                       "tokenizer.model",
                                                       "chat_template.jinja",
                                                       "chat_template.json",
                                                       "preprocessor_config.json",
                                                       "processor_config.json",
                                                       "generation_config.json",
                                                       "LICENSE"};
  const size_t slash = name.find('/');
  if (slash == name.npos) return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
  return name.substr(0, slash) == kTemplateFolder && name.find('/', slash + 1) == name.npos && name.ends_with(".jinja");
}

ModelFolder ModelFolder::open(const fs::path& folder) {
  ModelFolder model = open_config(folder);
  model.require_weights();
  return model;
}

ModelFolder ModelFolder::open_config(const ModelSource& source) {
  const fs::path& folder = source.folder;
  if (!fs::is_directory(folder)) {
    throw NotFoundError({.where = folder.string(), .given = "no such folder", .expected = "a model folder"});
  }
  const fs::path settings = folder_of_settings(folder);
  std::string config_text = read_config_text(source);
  io::JsonObject config = io::JsonObject::parse(config_text, (settings / "config.json").string());
  ModelFolder model(folder, std::move(config_text), std::move(config), WeightFiles::find(base_of(folder)),
                    read_companions(settings));
  model.valid_checkpoint_ = source.valid_checkpoint;
  if (is_adapter(folder)) model.add(read_adapter(folder));
  return model;
}

// A checkpoint of the bare encoder lacks the first module of its names, which those of the adapter have: "bert.". Names
// of both forms in one model would not be understood by transformers.
void ModelFolder::add_first_module(const Lora& lora) {
  for (const std::string& layer : lora.target_modules) {
    const size_t dot = layer.find('.');
    if (dot == std::string::npos || find(layer + ".weight") || !find(layer.substr(dot + 1) + ".weight")) continue;
    for (NamedTensorView& tensor : tensors_) tensor.name.insert(0, layer, 0, dot + 1);
    return;
  }
}

// Modules that the adapter saves as a whole replace those of the model.
void ModelFolder::add(Adapter adapter) {
  add_first_module(adapter.lora);
  lora_ = std::move(adapter.lora);
  adapter_files_ = std::move(adapter.files);
  for (NamedTensorView& tensor : adapter.tensors) {
    std::erase_if(tensors_, [&](const NamedTensorView& other) { return other.name == tensor.name; });
    tensors_.push_back(std::move(tensor));
  }
  std::ranges::sort(tensors_, {}, &NamedTensorView::name);
}

ModelFolder::ModelFolder(fs::path path, std::string config_text, io::JsonObject config,
                         std::optional<WeightFiles> files, std::vector<CompanionFile> companions)
    : path_(std::move(path)),
      config_text_(std::move(config_text)),
      config_(std::move(config)),
      files_(std::move(files)),
      tensors_(sorted_by_name(files_ ? files_->tensors() : std::vector<NamedTensorView>())),
      companions_(std::move(companions)) {
  refuse_duplicates(tensors_, path_);
}

void ModelFolder::require_weights() const {
  if (!has_weights()) throw_no_weights(base_of(path_));
}

void ModelFolder::edit_config(const ConfigChanges& changes) {
  const std::string where = (folder_of_settings(path_) / "config.json").string();
  config_text_ = hub::edit_config(config_text_, where, changes);
  config_ = io::JsonObject::parse(config_text_, where);
}

void ModelFolder::require_whole() const {
  if (files_) files_->require_whole();
  for (const io::SafetensorsFile& file : adapter_files_) file.require_whole();
}

std::optional<TensorView> ModelFolder::find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const NamedTensorView& tensor, std::string_view wanted) { return tensor.name < wanted; });
  if (found == tensors_.end() || found->name != name) return std::nullopt;
  return found->view;
}

void write_companions(const ModelFolder& model, const fs::path& folder) {
  for (const auto& [name, content] : model.companion_files()) {
    fs::create_directories((folder / name).parent_path());
    io::write_file(folder / name, content.bytes());
  }
}

}  // namespace portatune::hub
