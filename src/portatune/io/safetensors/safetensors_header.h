// A parser for headers of safetensors files from untrusted sources.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"

namespace portatune::io {

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< sorted by offset
  SafetensorsMetadata metadata;
};

/// Parses and checks the header of a file.
/// file      all bytes of the file; elements are not read
/// where     name of the file, for errors
/// errors    CheckpointError with file and tensor
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const std::string& where);

/// The name of an element type in headers: "F32" for DType::kFloat32.
std::string_view safetensors_name_of(DType dtype);

}  // namespace portatune::io
