// WAV files that Portatune makes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace portatune::audio {

/// A WAV file of one channel with 16 bits a sample.
inline std::string wav_file(std::span<const int16_t> samples, uint32_t rate = 16'000) {
  std::string file;
  const auto add = [&](auto number) {
    for (size_t i = 0; i < sizeof number; ++i) file += static_cast<char>(number >> 8 * i);
  };
  const auto bytes = static_cast<uint32_t>(2 * samples.size());
  file += "RIFF";
  add(36 + bytes);
  file += "WAVEfmt ";
  add(uint32_t{16});
  for (const uint16_t number : {1, 1}) add(number);  // integers, one channel
  add(rate);
  add(2 * rate);
  for (const uint16_t number : {2, 16}) add(number);  // bytes and bits of a sample
  file += "data";
  add(bytes);
  for (const int16_t sample : samples) add(static_cast<uint16_t>(sample));
  return file;
}

/// A second of silence, for batches that a plan makes without rows.
inline std::string silent_wav_file() { return wav_file(std::vector<int16_t>(16'000)); }

}  // namespace portatune::audio
