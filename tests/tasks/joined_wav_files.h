// Long recordings, made of short ones.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "io/temporary_folder.h"
#include "portatune/media/audio/wav_file.h"

namespace portatune::test {

// A WAV file of 16-bit samples with those of several such files, whose headers have 44 bytes.
inline std::string joined_wav_files(const std::filesystem::path& folder, const std::vector<std::string>& files) {
  std::string bytes;
  for (const std::string& file : files) bytes += text_of(folder / file).substr(44);
  std::vector<int16_t> samples(bytes.size() / sizeof(int16_t));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(int16_t));
  return audio::wav_file(samples);
}

}  // namespace portatune::test
