// Several files and folders that are replaced as one act, whenever the process dies.
#pragma once

#include <filesystem>
#include <vector>

#include "portatune/error.h"

namespace portatune {

/// What takes the place of `target`: `source`, or nothing where that is empty. Both are of one file system.
struct Replacement {
  std::filesystem::path source, target;
};

/// Some targets are replaced and some are not: finish_replacements() will replace the others, for which it needs their
/// sources.
struct UnfinishedReplacement : IoError {
  using IoError::IoError;
};

/// Replaces all targets, in this order, or none. Sources must be durable before. A journal,
/// `.portatune-commit.<16 hex digits>`, makes the act durable before the first move: if the process dies after that,
/// some targets are new and some are old until finish_replacements() runs, and then all are new. Older targets are
/// removed in the end.
/// folder  where the journal is written
/// errors  IoError: all targets are as before; UnfinishedReplacement if they could not be put back
void replace_entries(const std::filesystem::path& folder, const std::vector<Replacement>& replacements);

/// Finishes the acts of dead processes whose journals are in the folder, and removes the journals. Journals of live
/// processes and of other users are left alone.
/// errors  IoError
void finish_replacements(const std::filesystem::path& folder);

}  // namespace portatune
