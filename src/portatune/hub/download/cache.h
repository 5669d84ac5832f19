// The cache that huggingface_hub fills: hub/models--org--name/{blobs, refs, snapshots}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/io/hub/hub_name.h"

namespace portatune::hub {

/// The folder of a model in the cache, which may be missing.
/// name  "org/name"
std::filesystem::path cache_folder_of(const std::string& name);

/// The name of the model whose folder in the cache this is.
std::string name_of_cache_folder(const std::filesystem::path& folder);

/// The model of the Hub that a user's path names: by a snapshot models--org--name/snapshots/COMMIT in a cache, whose
/// revision is the commit; by the folder models--org--name; or, if there is no such path, by its name. Nothing for
/// other paths.
std::optional<io::HubName> hub_name_of(const std::filesystem::path& model);

/// The snapshot of a revision: refs/REVISION has the commit of a branch or tag; a commit is its own name. Empty if the
/// cache lacks the revision.
std::filesystem::path snapshot_of(const std::filesystem::path& cache_folder, const std::string& revision);

/// Puts a file into a snapshot: a relative link to its blob.
/// errors  IoError
void link_blob(const std::filesystem::path& cache_folder, const std::string& commit, const std::string& file,
               const std::string& blob);

/// Stores the commit of a revision.
/// errors  IoError
void write_ref(const std::filesystem::path& cache_folder, const std::string& revision, const std::string& commit);

/// A commit of a model in the cache.
struct CachedRevision {
  std::string commit;
  std::vector<std::string> refs;  ///< branches and tags with this commit, sorted
};

/// A model in the cache.
struct CachedModel {
  std::string name;
  std::filesystem::path folder;
  int64_t bytes = 0;  ///< size of all blobs
  std::vector<CachedRevision> revisions;
};

/// All models in the cache, sorted by their names.
std::vector<CachedModel> cached_models();

/// The model of this name in the cache.
/// errors  NotFoundError, which suggests the nearest name
CachedModel cached_model(const std::string& name);

/// Removes a model from the cache.
/// errors  IoError
void remove_cached(const CachedModel& model);

}  // namespace portatune::hub
