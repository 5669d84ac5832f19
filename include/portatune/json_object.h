// Typed access to a JSON object such as config.json. Errors name file and key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {
struct OptionField;
}

namespace portatune::io {

struct IntRange {
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
};

struct FloatRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// A read-only view of a JSON object that records the requested keys, so that other keys can be reported as unknown.
/// `null` counts as absent, as in transformers. Copies share the object and the record. Not thread-safe.
///
/// If the key is absent, `get_x(key)` throws CheckpointError and `get_x_or(key, fallback)` returns the fallback. Both
/// throw CheckpointError with file, key and value if the value has another type or is out of range.
class JsonObject {
 public:
  /// where     name of the object in errors: its file
  /// errors    CheckpointError unless `text` is one JSON object of at most 10 MB and 64 levels with unique keys
  static JsonObject parse(std::string_view text, std::string where);
  /// errors    as parse(); NotFoundError, IoError; DataError if the file is longer than 10 MB
  static JsonObject read(const std::filesystem::path& file);

  /// Returns whether the key is present and not null. Marks it as read.
  bool has(std::string_view key) const;

  int64_t get_int(std::string_view key, IntRange range = {}) const;
  int64_t get_int_or(std::string_view key, int64_t fallback, IntRange range = {}) const;
  /// Accepts integers too.
  double get_float(std::string_view key, FloatRange range = {}) const;
  double get_float_or(std::string_view key, double fallback, FloatRange range = {}) const;
  bool get_bool(std::string_view key) const;
  bool get_bool_or(std::string_view key, bool fallback) const;
  std::string get_string(std::string_view key) const;
  std::string get_string_or(std::string_view key, std::string_view fallback) const;

  /// Lists and maps are empty if the key is absent.
  std::vector<int64_t> get_ints(std::string_view key, IntRange range = {}) const;
  std::vector<double> get_floats(std::string_view key, FloatRange range = {}) const;
  std::vector<std::string> get_strings(std::string_view key) const;
  std::map<std::string, std::string> get_string_map(std::string_view key) const;

  /// Sets a described option to the value of the key with its name. Returns false if the key is absent. Does not check
  /// the range of a number.
  /// errors  CheckpointError if the option has no such value
  bool get_option(const OptionField& field) const;

  std::optional<JsonObject> get_object(std::string_view key) const;
  /// The objects in a list.
  std::vector<JsonObject> get_objects(std::string_view key) const;

  /// The type of a value: "string", "number", "boolean", "array", "object" or "null"; empty if the key is absent. For
  /// keys with values of several types, such as image_size.
  std::string_view type_of(std::string_view key) const;

  /// Marks keys as read whose values do not matter.
  void ignore(std::initializer_list<std::string_view> keys) const;
  /// Keys that were not requested, in file order. Keys of nested objects that were read have the form `outer.inner`.
  std::vector<std::string> unread_keys() const;

 private:
  struct State;
  explicit JsonObject(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;  // shared: copies and nested objects keep the whole text's tree alive
};

}  // namespace portatune::io
