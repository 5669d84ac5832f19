// Entries of a folder that stay when another folder replaces it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace portatune::io {

/// A predicate on the entries of a folder.
using EntryTest = std::function<bool(const std::filesystem::directory_entry&)>;

/// Links the kept entries of `old` into `staging`, so that the new folder has them at once. Skips entries whose names
/// `staging` already has.
/// returns  the links; nothing, with all links removed, if an entry cannot be linked: a FIFO, a file of another user,
///          an entry that vanishes meanwhile, any file if the file system has no hard links
std::optional<std::vector<std::filesystem::path>> link_kept(const std::filesystem::path& old,
                                                            const std::filesystem::path& staging,
                                                            const EntryTest& keep);
void remove_links(const std::vector<std::filesystem::path>& links);

/// Moves to `target`, after it has replaced `old`, the entries that other processes have created or replaced in kept
/// entries of `old` since these were linked, at any depth. Then removes `old`.
/// written  names of entries of `target` that are not from `old`
/// returns  whether `old` was removed
bool move_kept(const std::filesystem::path& old, const std::filesystem::path& target, const EntryTest& keep,
               const std::set<std::string>& written);

}  // namespace portatune::io
