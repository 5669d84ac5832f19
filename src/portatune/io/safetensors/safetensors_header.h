// Reading the header of a safetensors file that may have been made to do harm.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"

namespace portatune::io {

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< by offset
  SafetensorsMetadata metadata;
};

/// Parses and checks the header of a file.
/// file      all bytes of the file; elements are not looked at
/// where     the file's name, for errors
/// errors    CheckpointError, naming file and tensor
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const std::string& where);

/// "F32" for DType::kFloat32, and so on.
std::string_view safetensors_name_of(DType dtype);

}  // namespace portatune::io
