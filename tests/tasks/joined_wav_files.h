// Long recordings, made of short ones.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "io/temporary_folder.h"

namespace portatune::test {

// A WAV file of 16-bit samples with those of several such files, whose headers have 44 bytes.
inline std::string joined_wav_files(const std::filesystem::path& folder, const std::vector<std::string>& files) {
  std::string samples;
  for (const std::string& file : files) samples += text_of(folder / file).substr(44);
  std::string header = text_of(folder / files.front()).substr(0, 44);
  const auto set_size = [&](size_t at, size_t size) {
    const auto bytes = static_cast<uint32_t>(size);
    std::memcpy(header.data() + at, &bytes, sizeof bytes);
  };
  set_size(4, 36 + samples.size());
  set_size(40, samples.size());
  return header + samples;
}

}  // namespace portatune::test
