#include "portatune/hub/find_model.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/base/message.h"
#include "portatune/base/nearest.h"
#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxRefBytes = 1000;
constexpr const char* kExpectedModel =
    "a folder with config.json, model.safetensors and a tokenizer or image processor";
constexpr const char* kExpectedTokenizer = "a folder with tokenizer.json or older files of a tokenizer";

// The argument, for error messages.
struct Asked {
  fs::path path;
  Contents contents;
  std::string option;

  std::string where() const { return option + " " + path.string(); }
  std::string expected() const { return contents == Contents::kModel ? kExpectedModel : kExpectedTokenizer; }
};

struct HubName {
  std::string name;      // "org/name" or "name"
  std::string revision;  // a branch, a tag or a commit
};

bool is_word(std::string_view text) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const bool begins = !text.empty() && kFirst.find(text.front()) != std::string_view::npos;
  const auto fits = [&](char c) { return kFirst.find(c) != std::string_view::npos || c == '-' || c == '.'; };
  return begins && std::ranges::all_of(text, fits);
}

// Parses a Hub name. Names have at most one slash; the oldest names have none.
std::optional<HubName> hub_name(const std::string& text) {
  const size_t at = std::min(text.find('@'), text.size());
  const std::string name = text.substr(0, at);
  const std::string revision = at < text.size() ? text.substr(at + 1) : "main";
  const size_t slash = name.find('/');
  const bool has_owner = slash != std::string::npos;
  const bool fits = has_owner ? is_word(name.substr(0, slash)) && is_word(name.substr(slash + 1)) : is_word(name);
  if (!fits || !is_word(revision)) return std::nullopt;
  return HubName{name, revision};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// The snapshot of a revision: refs/REVISION names the commit of a branch or tag; a commit is its own name. Empty if the
// cache lacks the revision.
fs::path snapshot_of(const fs::path& cache_folder, const std::string& revision) {
  const fs::path ref = cache_folder / "refs" / revision;
  const std::string commit = fs::is_regular_file(ref) ? without_line_end(io::read_text(ref, kMaxRefBytes)) : revision;
  const fs::path snapshot = cache_folder / "snapshots" / commit;
  return is_word(commit) && fs::is_directory(snapshot) ? snapshot : fs::path();
}

// True if all required files exist. Links of the cache to files that are not downloaded yet are dangling.
bool is_complete(const fs::path& folder, Contents contents) {
  const auto has = [&](const char* file) { return fs::exists(folder / file); };
  if (contents == Contents::kTokenizer) {
    return has("tokenizer.json") || has("vocab.txt") || has("vocab.json") || has("spiece.model") ||
           has("tokenizer.model") || has("sentencepiece.bpe.model");
  }
  if (is_adapter(folder)) return has("adapter_model.safetensors");
  // Pickles count, too: ModelFolder explains their conversion.
  return has("config.json") && (has("model.safetensors") || has("model.safetensors.index.json") ||
                                has("pytorch_model.bin") || has("pytorch_model.bin.index.json"));
}

std::string download_line(const HubName& name) {
  const std::string folder = name.name.substr(name.name.find('/') + 1);
  const std::string revision = name.revision == "main" ? "" : " --revision " + name.revision;
  return "hf download " + name.name + revision + " --local-dir " + folder + "   and give that folder";
}

fs::path complete_snapshot(const Asked& asked, const fs::path& cache_folder, const HubName& name) {
  const fs::path snapshot = snapshot_of(cache_folder, name.revision);
  if (!snapshot.empty() && is_complete(snapshot, asked.contents)) return snapshot;
  throw NotFoundError({.where = asked.where(),
                       .given = snapshot.empty() ? "no revision '" + name.revision + "' in " + cache_folder.string()
                                                 : "an incomplete download in " + snapshot.string(),
                       .expected = asked.expected(),
                       .fix = download_line(name)});
}

// Parses the folder name models--org--name.
HubName name_of_cache_folder(const fs::path& folder) {
  std::string name = fs::absolute(folder).lexically_normal().filename().string();
  constexpr std::string_view kPrefix = "models--";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  if (const size_t dashes = name.find("--"); dashes != std::string::npos) name.replace(dashes, 2, "/");
  return {name, "main"};
}

fs::path cache_folder_of(const HubName& name) {
  std::string folder = name.name;
  if (const size_t slash = folder.find('/'); slash != std::string::npos) folder.replace(slash, 1, "--");
  return hub_cache() / ("models--" + folder);
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
  if (is_cache_folder(asked.path)) return complete_snapshot(asked, asked.path, name_of_cache_folder(asked.path));
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

[[noreturn]] void refuse_missing(const Asked& asked, const std::optional<HubName>& name) {
  const std::string meant = nearest_folder(asked.path);
  std::string fix = meant.empty() ? "" : "did you mean " + meant + "?";
  if (name && meant.empty()) fix = download_line(*name);
  throw NotFoundError(
      {.where = asked.where(),
       .given = name ? "neither a folder nor a Hub name in the Hugging Face cache " + hub_cache().string()
                     : "no such folder",
       .expected = asked.expected(),
       .fix = fix});
}

}  // namespace

fs::path hub_cache() {
  if (const std::string cache = variable("HF_HUB_CACHE"); !cache.empty()) return cache;
  if (const std::string home = variable("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  const std::string caches = variable("XDG_CACHE_HOME");
  return (caches.empty() ? fs::path(variable("HOME")) / ".cache" : fs::path(caches)) / "huggingface" / "hub";
}

fs::path find_model(const fs::path& name, Contents contents, const std::string& option) {
  const Asked asked{name, contents, option};
  if (fs::is_directory(name)) return model_in(asked);
  if (fs::exists(name)) {
    const fs::path parent = name.parent_path();
    throw UsageError({.where = asked.where(),
                      .given = "a file",
                      .expected = asked.expected(),
                      .fix = "name its folder: " + option + " " + (parent.empty() ? "." : parent.string())});
  }
  if (name.native().starts_with("~")) {
    throw UsageError({.where = asked.where(),
                      .given = "a ~ that the shell did not expand",
                      .expected = asked.expected(),
                      .fix = "write the path without quotes, or in full"});
  }
  const std::optional<HubName> on_hub = hub_name(name.native());
  if (!on_hub || !fs::is_directory(cache_folder_of(*on_hub))) refuse_missing(asked, on_hub);
  return complete_snapshot(asked, cache_folder_of(*on_hub), *on_hub);
}

}  // namespace portatune::hub
