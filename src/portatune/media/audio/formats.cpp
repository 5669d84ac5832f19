#include "portatune/media/audio/formats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "portatune/base/text/text_parts.h"

namespace portatune::audio {
namespace {

constexpr std::string_view kWav = "WAV", kAiff = "AIFF", kOgg = "Ogg", kMp3 = "MP3";

constexpr std::array<Format, 22> kFormats = {{{"RIFF????WAVE", kWav},
                                              {"FORM????AIFF", kAiff},
                                              {"FORM????AIFC", kAiff},
                                              {"fLaC", "FLAC"},
                                              {std::string_view("OggS\0", 5), kOgg},
                                              {"ID3\2", kMp3},
                                              {"ID3\3", kMp3},
                                              {"ID3\4", kMp3},
                                              {"\xFF\xFA", kMp3},
                                              {"\xFF\xFB", kMp3},
                                              {"\xFF\xF2", kMp3},
                                              {"\xFF\xF3", kMp3},
                                              {"\xFF\xE2", kMp3},
                                              {"\xFF\xE3", kMp3},
                                              {"\xFF\xF1", "AAC", false},
                                              {"\xFF\xF9", "AAC", false},
                                              {"????ftyp", "MP4 or M4A", false},
                                              {"\x1A\x45\xDF\xA3", "WebM or Matroska", false},
                                              {"RF64", "RF64", false},
                                              {".snd", "AU", false},
                                              {"caff", "CAF", false},
                                              {"#!AMR", "AMR", false}}};

std::string_view text_of(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

uint32_t number_at(std::span<const std::byte> file, size_t at, std::endian order) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) {
    const size_t index = order == std::endian::big ? i : 3 - i;
    number = number << 8 | std::to_integer<uint32_t>(file[at + index]);
  }
  return number;
}

// Whether the chunk of samples of a WAV or AIFF file is complete. Programs that write to a pipe do not know its size;
// the value is then 0, or so large that no file has it.
bool has_all_samples(std::span<const std::byte> file, std::string_view name, std::endian order) {
  for (size_t at = 12; at + 8 <= file.size();) {
    const size_t bytes = number_at(file, at + 4, order), left = file.size() - at - 8;
    if (text_of(file).substr(at, 4) == name) return bytes == 0 || bytes >= 0x7FFF'FFFF || bytes <= left;
    if (bytes > left) return false;
    at += 8 + bytes + bytes % 2;
  }
  return false;
}

// The size of an ID3v2 tag, which may hold pictures, before the first frame of an MP3 file.
size_t id3_bytes(std::span<const std::byte> file) {
  constexpr size_t kHeader = 10, kFooter = 10;
  if (file.size() < kHeader || !text_of(file).starts_with("ID3")) return 0;
  size_t bytes = 0;
  for (size_t i = 6; i < kHeader; ++i) bytes = bytes << 7 | (std::to_integer<size_t>(file[i]) & 0x7F);
  const bool has_footer = (file[5] & std::byte{0x10}) != std::byte{};
  return kHeader + bytes + (has_footer ? kFooter : 0);
}

// Whether the file consists of whole pages.
bool has_whole_pages(std::span<const std::byte> file) {
  constexpr size_t kHeader = 27;
  size_t at = 0;
  while (at < file.size()) {
    if (file.size() - at < kHeader || text_of(file).substr(at, 4) != "OggS") return false;
    const size_t segments = std::to_integer<size_t>(file[at + kHeader - 1]);
    size_t bytes = kHeader + segments;
    if (file.size() - at < bytes) return false;
    for (size_t i = 0; i < segments; ++i) bytes += std::to_integer<size_t>(file[at + kHeader + i]);
    if (file.size() - at < bytes) return false;
    at += bytes;
  }
  return true;
}

}  // namespace

const Format* format_of(std::span<const std::byte> file) {
  const auto found =
      std::ranges::find_if(kFormats, [&](const Format& format) { return begins_like(text_of(file), format.begin); });
  return found == kFormats.end() ? nullptr : &*found;
}

void require_complete(std::span<const std::byte> file, const Format& format, const std::string& where) {
  const bool is_complete = format.name == kWav    ? has_all_samples(file, "data", std::endian::little)
                           : format.name == kAiff ? has_all_samples(file, "SSND", std::endian::big)
                           : format.name == kOgg  ? has_whole_pages(file)
                                                  : true;
  if (!is_complete) throw truncated(file, format, where);
}

bool declares_frames(std::span<const std::byte> file, const Format& format) {
  if (format.name != kMp3) return true;
  constexpr size_t kTagIsWithin = 64;  // of the first frame
  const std::string_view frame = text_of(file).substr(std::min(file.size(), id3_bytes(file)), kTagIsWithin);
  return frame.find("Xing") != frame.npos || frame.find("Info") != frame.npos;
}

DataError truncated(std::span<const std::byte> file, const Format& format, const std::string& where) {
  return DataError({.where = where,
                    .given = "a file in the format " + std::string(format.name) + " that ends after " +
                             std::to_string(file.size()) + " bytes, before the end of its samples",
                    .expected = "a complete file"});
}

}  // namespace portatune::audio
