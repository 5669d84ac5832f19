// Atomic replacement of several files and folders, even if the process dies.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "portatune/error.h"

namespace portatune {

/// A target and its successor `source`; the target is removed if `source` is empty. Both are on one file system.
struct Replacement {
  std::filesystem::path source, target;
};

/// Only some targets have been replaced, or none, and the journal may remain. finish_replacements() replaces the others
/// and needs their sources.
struct UnfinishedReplacement : IoError {
  using IoError::IoError;
};

/// Replaces all targets in this order, or none. Sources must be durable before the call, and in or below the folder. A
/// journal, `.portatune-commit.<16 hex digits>`, is durable before the first rename. If the process dies after that,
/// targets may be new and old until finish_replacements() makes all of them new. Older targets are removed last.
/// folder  folder of the journal
/// errors  IoError: all targets are as before; UnfinishedReplacement: some could not be restored, or the
///         journal could not be removed
void replace_entries(const std::filesystem::path& folder, const std::vector<Replacement>& replacements);

/// Completes the replacements of dead processes whose journals are in the folder, and removes the journals. Journals of
/// live processes and of other users stay. A journal only moves and removes entries of its own folder, and replaces
/// `targets` by their temporary files.
/// targets  files of the caller, also in other folders
/// errors  IoError; DataError for a journal that replace_entries() cannot have written; NotFoundError if a folder of a
///         target is missing
void finish_replacements(const std::filesystem::path& folder, std::span<const std::filesystem::path> targets = {});

}  // namespace portatune
