// Reads the files of a tokenizer.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::text {

/// The content of a file. CheckpointError if it is larger than kMaxFileBytes or a Git LFS pointer; NotFoundError,
/// IoError.
std::string read_file(const std::filesystem::path& file);

}  // namespace portatune::text
