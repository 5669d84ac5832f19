// Helpers for tests that change a file of a checkpoint, to reach the checks behind its checksum.
#pragma once

#include <filesystem>
#include <string>

#include "io/temporary_folder.h"
#include "portatune/hub/checkpoint_manifest.h"

namespace portatune::test {

/// Writes the manifest for the current files of the checkpoint.
inline void renew_manifest(const std::filesystem::path& checkpoint) {
  std::filesystem::remove(checkpoint / hub::kManifestFile);
  hub::write_manifest(checkpoint, {});
}

/// Flips a bit in the middle of the file; a second call restores the file.
inline void flip_a_bit(const std::filesystem::path& file) {
  std::string bytes = text_of(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  write_text(file, bytes);
}

}  // namespace portatune::test
