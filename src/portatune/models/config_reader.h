// Reading of config.json into the config structs of the architectures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/io/text/json.h"

namespace portatune::models {

/// Ranges of values that several architectures have.
inline constexpr io::IntRange kVocabulary{1, 1 << 24};
inline constexpr io::IntRange kLayers{1, 1024};
inline constexpr io::IntRange kSize{1, 1 << 20};
inline constexpr io::FloatRange kRate{0, 0.999};
inline constexpr io::FloatRange kDeviation{0, 10};
inline constexpr io::FloatRange kEpsilon{0, 1};
/// Ids of the tokens of a vocabulary, and -1 for no token.
inline io::IntRange token_or_none(int64_t vocab_size) { return {-1, vocab_size - 1}; }

/// A JSON object that is read into the fields of a struct. A field keeps its value, the default, if its key is absent.
/// All functions throw CheckpointError with file, key and value if the value has another type or is out of range.
class ConfigReader : public io::JsonObject {
 public:
  ConfigReader(const io::JsonObject& object) : JsonObject(object) {}

  void read(std::string_view key, int64_t& field, io::IntRange range) const { field = get_int_or(key, field, range); }
  void read(std::string_view key, double& field, io::FloatRange range) const {
    field = get_float_or(key, field, range);
  }
  void read(std::string_view key, std::optional<double>& field, io::FloatRange range) const {
    if (has(key)) field = get_float(key, range);
  }
  void read(std::string_view key, bool& field) const { field = get_bool_or(key, field); }
  void read(std::string_view key, std::string& field) const { field = get_string_or(key, field); }
  /// Reads the name of an activation. CheckpointError unless nn::activate() knows it.
  void read_activation(std::string_view key, std::string& field) const;

  /// Reads a key that must be present.
  void require(std::string_view key, int64_t& field, io::IntRange range) const { field = get_int(key, range); }
};

/// Throws a CheckpointError that names both keys unless `value` is a multiple of `factor`.
void require_multiple(std::string_view key, int64_t value, std::string_view factor_key, int64_t factor);

}  // namespace portatune::models
