#include "portatune/hub/download/find_model.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/base/text/shell_word.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/download/cache.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/hub/environment.h"
#include "portatune/io/safetensors/tensor_files.h"
#include "portatune/io/text/json.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExpectedModel =
    "a folder with config.json, model.safetensors and a tokenizer or image processor";
constexpr const char* kExpectedConfig = "a folder with config.json and a tokenizer or image processor";
constexpr const char* kExpectedTokenizer = "a folder with tokenizer.json or older files of a tokenizer";

// The argument, for error messages.
struct Asked {
  fs::path path;
  Contents contents;
  std::string option;

  std::string where() const { return option + " " + path.string(); }
  std::string expected() const {
    if (contents == Contents::kConfig) return kExpectedConfig;
    return contents == Contents::kModel ? kExpectedModel : kExpectedTokenizer;
  }
};

bool is_cache_folder(const fs::path& folder) { return fs::is_directory(folder / "snapshots"); }

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

bool has_weights(const fs::path& folder, const WeightFormat& format) {
  if (fs::exists(folder / format.file)) return true;
  return fs::exists(folder / format.index) &&
         std::ranges::all_of(io::tensor_shards(folder / format.index, format.suffix),
                             [&](const std::string& shard) { return fs::exists(folder / shard); });
}

// True if all required files exist. Links of the cache to files that are not downloaded yet are dangling.
bool is_complete(const fs::path& folder, Contents contents) {
  const auto has = [&](const char* file) { return fs::exists(folder / file); };
  if (contents == Contents::kTokenizer) {
    return has("tokenizer.json") || has("vocab.txt") || has("vocab.json") || has("spiece.model") ||
           has("tokenizer.model") || has("sentencepiece.bpe.model") || has("spm.model");
  }
  if (contents == Contents::kConfig) return has("config.json");
  if (is_adapter(folder)) return has_weights(folder, safetensors_of(kAdapterStem));
  return has("config.json") &&
         std::ranges::any_of(weight_formats(), [&](const WeightFormat& format) { return has_weights(folder, format); });
}

std::string download_line(const io::HubName& name) {
  const std::string offline = io::offline_variable();
  return (offline.empty() ? "" : "unset " + offline + ", and ") + "portatune download " + to_string(name);
}

// Returns whether a snapshot, which may be empty, is there and complete.
bool is_usable(const fs::path& snapshot, Contents contents) {
  return !snapshot.empty() && is_complete(snapshot, contents);
}

fs::path complete_snapshot(const Asked& asked, const fs::path& cache_folder, const io::HubName& name) {
  const fs::path snapshot = snapshot_of(cache_folder, name.revision);
  if (is_usable(snapshot, asked.contents)) return snapshot;
  throw NotFoundError({.where = asked.where(),
                       .given = snapshot.empty() ? "no revision '" + name.revision + "' in " + cache_folder.string()
                                                 : "an incomplete download in " + snapshot.string(),
                       .expected = asked.expected(),
                       .fix = download_line(name)});
}

// Names the model folders inside, because a folder may hold checkpoints or several models.
[[noreturn]] void refuse_folder(const Asked& asked) {
  std::vector<std::string> models;
  for (const fs::path& folder : folders_in(asked.path)) {
    if (is_complete(folder, asked.contents)) models.push_back(folder.string());
  }
  throw NotFoundError({.where = asked.where(),
                       .given = "a folder without config.json",
                       .expected = asked.expected(),
                       .fix = models.empty() ? "" : "name one of the folders in it: " + list_of(models, 5)});
}

fs::path model_in(const Asked& asked) {
  if (is_cache_folder(asked.path)) return complete_snapshot(asked, asked.path, {name_of_cache_folder(asked.path)});
  if (asked.contents == Contents::kTokenizer || fs::exists(asked.path / "config.json")) return asked.path;
  if (is_adapter(asked.path)) return asked.path;
  refuse_folder(asked);
}

std::string nearest_folder(const fs::path& path) {
  std::vector<std::string> names;
  const fs::path parent = path.parent_path();
  for (const fs::path& folder : folders_in(parent.empty() ? "." : parent)) names.push_back(folder.filename());
  const std::string meant = nearest(path.filename().string(), names);
  return meant.empty() ? "" : (parent / meant).string();
}

[[noreturn]] void refuse_missing(const Asked& asked, const std::optional<io::HubName>& name) {
  const std::string meant = nearest_folder(asked.path);
  std::string fix = suggestion(meant);
  if (name && meant.empty()) fix = download_line(*name);
  throw NotFoundError(
      {.where = asked.where(),
       .given = name ? "neither a folder nor a Hub name in the Hugging Face cache " + io::hub_cache().string()
                     : "no such folder",
       .expected = asked.expected(),
       .fix = fix});
}

// A name that the Hub does not know may be that of a folder, misspelt.
fs::path downloaded(const Asked& asked, const io::HubName& name, const Download& download) {
  fs::path snapshot;
  try {
    snapshot = download(name);
  } catch (const NotFoundError& error) {
    const std::string meant = nearest_folder(asked.path);
    if (meant.empty()) throw;
    Report report = error.report();
    report.fix = suggestion(meant);
    throw NotFoundError(report);
  } catch (const IoError& error) {  // the Hub cannot be reached
    const std::string meant = nearest_folder(asked.path);
    Report report = error.report();
    report.where = asked.where();
    report.given = "no such folder, and no answer of the Hub to this name: " + report.given;
    report.expected = asked.expected();
    if (!meant.empty()) report.fix = suggestion(meant);
    throw IoError(report, error.error_number());
  }
  if (is_complete(snapshot, asked.contents)) return snapshot;
  throw NotFoundError({.where = asked.where(),
                       .given = "a model of the Hub without these files, now in " + snapshot.string(),
                       .expected = asked.expected()});
}

fs::path on_hub(const Asked& asked, const io::HubName& name, const Download& download) {
  const fs::path cached = cache_folder_of(name.name);
  if (const fs::path snapshot = snapshot_of(cached, name.revision); is_usable(snapshot, asked.contents)) {
    return snapshot;
  }
  if (download && io::offline_variable().empty()) return downloaded(asked, name, download);
  if (!fs::is_directory(cached)) refuse_missing(asked, name);
  return complete_snapshot(asked, cached, name);
}

}  // namespace

fs::path find_model(const fs::path& name, Contents contents, const std::string& option, const Download& download) {
  const Asked asked{name, contents, option};
  if (fs::is_directory(name)) return model_in(asked);
  if (fs::exists(name)) {
    const fs::path parent = name.parent_path();
    throw UsageError(
        {.where = asked.where(),
         .given = "a file",
         .expected = asked.expected(),
         .fix = "name its folder: " + option + " " + (parent.empty() ? "." : shell_word(parent.string()))});
  }
  if (name.native().starts_with("~")) {
    throw UsageError({.where = asked.where(),
                      .given = "a ~ that the shell did not expand",
                      .expected = asked.expected(),
                      .fix = "write the path in full: only a shell replaces ~, and only at the beginning of a word"});
  }
  const std::optional<io::HubName> hub_name = io::HubName::parse(name.native());
  if (!hub_name) refuse_missing(asked, hub_name);
  return on_hub(asked, *hub_name, download);
}

}  // namespace portatune::hub
