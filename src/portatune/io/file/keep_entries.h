// Entries of a folder that stay when another folder takes its place.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace portatune::io {

/// Whether an entry of a folder is meant.
using EntryTest = std::function<bool(const std::filesystem::directory_entry&)>;

/// Links the entries of `old` that are kept into `staging`, so that the new folder has them at once, but for those
/// whose names are there already.
/// returns  the links; nothing, and there is none, if an entry cannot be linked: a FIFO, a file of another user, one that
///          vanishes meanwhile, any file where the file system has no hard links
std::optional<std::vector<std::filesystem::path>> link_kept(const std::filesystem::path& old,
                                                            const std::filesystem::path& staging,
                                                            const EntryTest& keep);
void remove_links(const std::vector<std::filesystem::path>& links);

/// After `target` has taken the place of `old`: moves to it what others have made or replaced in kept entries of `old`
/// since these were linked, at any depth, and removes `old`.
/// written  names of entries of `target` that are not from `old`
/// returns  whether `old` is gone
bool move_kept(const std::filesystem::path& old, const std::filesystem::path& target, const EntryTest& keep,
               const std::set<std::string>& written);

}  // namespace portatune::io
