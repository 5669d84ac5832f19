#include "portatune/train/checkpoint/save_folder.h"

#include <algorithm>
#include <string_view>

#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/safetensors/tensor_files.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/run_record.h"

namespace portatune::train {
namespace {

namespace fs = std::filesystem;

// "model.safetensors", "model.safetensors.index.json", "model-00001-of-00002.safetensors"
bool is_array_file(std::string_view name, std::string_view stem) {
  if (name == io::tensor_file(std::string(stem)) || name == io::tensor_index_file(std::string(stem))) return true;
  constexpr std::string_view kEnd = ".safetensors";
  if (!name.starts_with(stem) || !name.ends_with(kEnd) || name.size() < stem.size() + kEnd.size()) return false;
  const std::string_view shard = name.substr(stem.size(), name.size() - stem.size() - kEnd.size());
  return shard.starts_with("-") && shard.find_first_not_of("-of0123456789") == std::string_view::npos;
}

// Returns whether a run has written to this folder.
bool is_of_a_run(const fs::path& folder) {
  if (fs::exists(folder / kLockFile) || fs::exists(folder / kArgumentsFile) || is_checkpoint(folder)) return true;
  return std::ranges::any_of(fs::directory_iterator(folder), is_of_checkpoint);
}

}  // namespace

// A model of a custom task may have no config.json.
bool holds_model(const fs::path& folder) {
  return fs::exists(folder / "config.json") || fs::exists(folder / io::tensor_file(kWeightsStem));
}

bool is_replaced(const fs::directory_entry& entry) {
  if (entry.is_directory()) return is_of_checkpoint(entry) || entry.path().filename() == hub::kTemplateFolder;
  const std::string name = entry.path().filename().string();
  return name == "config.json" || name == kSettingsFile || name == kRunRecordFile || is_position_file(name) ||
         is_array_file(name, kWeightsStem) || is_array_file(name, kOptimizerStem) || hub::is_companion_file(name) ||
         name == hub::kAdapterConfig || is_array_file(name, hub::kAdapterStem);
}

std::string entry_in_the_way(const fs::path& folder, const fs::path& written) {
  if (!fs::is_directory(folder) || is_of_a_run(folder)) return {};
  const bool is_here = holds_model(folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path name = entry.path().filename();
    std::error_code none;
    if (name == io::kLostAndFound || fs::equivalent(entry.path(), written, none)) continue;
    const bool is_own = is_here && (is_replaced(entry) || (!written.empty() && fs::exists(written / name)));
    if (!is_own) return name.string();
  }
  return {};
}

void require_place_to_save(const fs::path& folder, const fs::path& written) {
  io::require_not_working_folder(folder);
  const std::string entry = entry_in_the_way(folder, written);
  if (entry.empty()) return;
  throw UsageError({.where = "saving to " + folder.string(),
                    .given = "a folder with \"" + entry + "\", which is not part of a model",
                    .expected = "a new folder, or one with a model and its checkpoints only",
                    .fix = "choose another folder"});
}

}  // namespace portatune::train
