// A strict JSON parser with limits, for files that need the whole tree.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace portatune::io {

/// Limits for JSON text from outside.
struct JsonLimits {
  int64_t bytes = 10'000'000;
  int depth = 64;
};

/// Parses a text whose outermost value is an object. Keeps the order of keys.
/// where     name of the file, for errors
/// errors    CheckpointError: invalid JSON (with line and column), bytes that are not UTF-8, a doubled key, a value
///           beyond the limits
nlohmann::ordered_json parse_json_object(std::string_view text, const std::string& where,
                                         const JsonLimits& limits = {});

}  // namespace portatune::io
