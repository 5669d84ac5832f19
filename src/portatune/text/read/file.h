// The bytes of a tokenizer's file.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::text {

/// The whole file. CheckpointError if it is larger than kMaxFileBytes; NotFoundError, IoError.
std::string read_file(const std::filesystem::path& file);

}  // namespace portatune::text
