// The formats of audio files, by their content.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune::audio {

struct Format {
  std::string_view begin;  ///< first bytes; '?' matches any byte
  std::string_view name;
  bool is_supported = true;
};

/// The format of a file; null for an unknown one.
const Format* format_of(std::span<const std::byte> file);

/// Requires that a file does not end before its container says so. libsndfile reads what is there of WAV, AIFF and Ogg
/// files.
/// errors  DataError for a truncated file
void require_complete(std::span<const std::byte> file, const Format& format, const std::string& where);

/// Returns whether the number of frames that libsndfile finds in the header of a complete file is exact: MP3 files
/// need a tag for it.
bool declares_frames(std::span<const std::byte> file, const Format& format);

/// "a file in the format WAV that ends after 512 bytes, before the end of its samples".
DataError truncated(std::span<const std::byte> file, const Format& format, const std::string& where);

}  // namespace portatune::audio
