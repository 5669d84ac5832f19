#include "portatune/hub/download/cache.h"

#include <algorithm>
#include <string_view>

#include "portatune/base/files/output_file.h"
#include "portatune/base/files/path_name.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/file/file.h"
#include "portatune/io/hub/environment.h"
#include "portatune/io/hub/hub_name.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxRefBytes = 1000;
constexpr std::string_view kPrefix = "models--";
constexpr std::string_view kSlash = "--";  // replaces the slash of a name

// The commit in a file of refs, without a line end.
std::string commit_in(const fs::path& ref) {
  const std::string text = io::read_text(ref, kMaxRefBytes);
  return text.substr(0, text.find_first_of("\r\n"));
}

int64_t bytes_in(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.is_regular_file(none)) bytes += static_cast<int64_t>(entry.file_size(none));
  }
  return bytes;
}

std::vector<std::string> refs_of(const fs::path& cache_folder, const std::string& commit) {
  std::vector<std::string> refs;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(cache_folder / "refs", none)) {
    if (!entry.is_regular_file(none) || commit_in(entry.path()) != commit) continue;
    refs.push_back(entry.path().lexically_relative(cache_folder / "refs").string());
  }
  std::ranges::sort(refs);
  return refs;
}

CachedModel model_in(const fs::path& folder) {
  CachedModel model{
      .name = name_of_cache_folder(folder), .folder = folder, .bytes = bytes_in(folder / "blobs"), .revisions = {}};
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "snapshots", none)) {
    const std::string commit = entry.path().filename();
    model.revisions.push_back({commit, refs_of(folder, commit)});
  }
  std::ranges::sort(model.revisions, {}, &CachedRevision::commit);
  return model;
}

}  // namespace

fs::path cache_folder_of(const std::string& name) {
  std::string folder = std::string(kPrefix) + name;
  if (const size_t slash = folder.find('/'); slash != std::string::npos) folder.replace(slash, 1, kSlash);
  return io::hub_cache() / folder;
}

std::string name_of_cache_folder(const fs::path& folder) {
  std::string name = last_part_of(folder);
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  if (const size_t slash = name.find(kSlash); slash != std::string::npos) name.replace(slash, kSlash.size(), "/");
  return name;
}

std::optional<io::HubName> hub_name_of(const fs::path& model) {
  const auto is_cached = [](const fs::path& folder) { return folder.filename().string().starts_with(kPrefix); };
  const fs::path folder = fs::absolute(model / ".").lexically_normal().parent_path();
  const fs::path snapshots = folder.parent_path();
  if (snapshots.filename() == "snapshots" && is_cached(snapshots.parent_path())) {
    return io::HubName{name_of_cache_folder(snapshots.parent_path()), folder.filename().string()};
  }
  if (is_cached(folder)) return io::HubName{name_of_cache_folder(folder)};
  return fs::exists(folder) ? std::nullopt : io::HubName::parse(model.string());
}

fs::path snapshot_of(const fs::path& cache_folder, const std::string& revision) {
  const fs::path ref = cache_folder / "refs" / revision;
  const std::string commit = fs::is_regular_file(ref) ? commit_in(ref) : revision;
  const fs::path snapshot = cache_folder / "snapshots" / commit;
  return io::is_word(commit) && fs::is_directory(snapshot) ? snapshot : fs::path();
}

void link_blob(const fs::path& cache_folder, const std::string& commit, const std::string& file,
               const std::string& blob) {
  const fs::path link = cache_folder / "snapshots" / commit / file;
  const fs::path target = (cache_folder / "blobs" / blob).lexically_relative(link.parent_path());
  fs::create_directories(link.parent_path());
  std::error_code failed, none;
  fs::create_symlink(target, link, failed);
  if (!failed || fs::read_symlink(link, none) == target) return;
  if (failed != std::errc::file_exists) throw fs::filesystem_error("cannot create the link", target, link, failed);
  const fs::path temporary = unique_sibling(link, kTemporaryPrefix);  // The link names another blob: replace it.
  fs::create_symlink(target, temporary);
  fs::rename(temporary, link);
}

void write_ref(const fs::path& cache_folder, const std::string& revision, const std::string& commit) {
  if (revision == commit) return;
  const fs::path ref = cache_folder / "refs" / revision;
  fs::create_directories(ref.parent_path());
  replace_file(ref, commit);
}

std::vector<CachedModel> cached_models() {
  std::vector<CachedModel> models;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(io::hub_cache(), none)) {
    if (entry.path().filename().string().starts_with(kPrefix)) models.push_back(model_in(entry.path()));
  }
  std::ranges::sort(models, {}, &CachedModel::name);
  return models;
}

CachedModel cached_model(const std::string& name) {
  const std::vector<CachedModel> models = cached_models();
  const auto found = std::ranges::find(models, name, &CachedModel::name);
  if (found != models.end()) return *found;
  std::vector<std::string> names;
  for (const CachedModel& model : models) names.push_back(model.name);
  throw NotFoundError({.where = "cache rm " + name,
                       .given = "no model of this name in " + io::hub_cache().string(),
                       .expected = "a name that portatune cache ls lists",
                       .fix = suggestion(nearest(name, names))});
}

void remove_cached(const CachedModel& model) {
  io::remove_directory(model.folder);
  std::error_code none;
  fs::remove_all(io::hub_cache() / ".locks" / model.folder.filename(), none);
}

}  // namespace portatune::hub
