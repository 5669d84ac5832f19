// Strict JSON with budgets, for the sources that need the whole tree.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace portatune::io {

/// What a JSON text from outside may ask for.
struct JsonLimits {
  int64_t bytes = 10'000'000;
  int depth = 64;
};

/// Parses a text whose outermost value is an object. Keys keep their order.
/// where     the file's name, for errors
/// errors    CheckpointError: not JSON (with line and column), not UTF-8, a key twice in one object, beyond the limits
nlohmann::ordered_json parse_json_object(std::string_view text, const std::string& where,
                                         const JsonLimits& limits = {});

}  // namespace portatune::io
