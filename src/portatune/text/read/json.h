// Fields of a JSON file, with errors that name file and field. Only the readers include this file.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace portatune::text {

/// A value of a JSON file. It is cheap to copy, and valid as long as the JsonFile.
class Json {
 public:
  Json(const std::string& file, std::string path, simdjson::dom::element value)
      : file_(&file), path_(std::move(path)), value_(value) {}

  /// The member; empty if it is absent or null. CheckpointError if this is not an object.
  std::optional<Json> find(std::string_view key) const;
  /// The member. CheckpointError if it is absent or null.
  Json at(std::string_view key) const;

  // The value as a C++ type. CheckpointError if it has another type.
  std::string_view string() const;
  bool boolean() const;
  int64_t integer(int64_t minimum, int64_t maximum) const;
  double number() const;
  simdjson::dom::object object() const;
  simdjson::dom::array array() const;

  // The value of find(key), or the fallback if that is empty.
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string_view string_or(std::string_view key, std::string_view fallback) const;
  int64_t integer_or(std::string_view key, int64_t fallback, int64_t minimum, int64_t maximum) const;

  /// Calls take(element) for each element. CheckpointError if this is not a list.
  template <class Take>
  void for_each(Take&& take) const;
  bool is_list() const { return value_.is_array(); }
  bool is_string() const { return value_.is_string(); }

  Json member(std::string_view key, simdjson::dom::element value) const;

  /// Throws CheckpointError, which expects `expected` in place of this value.
  [[noreturn]] void fail(const std::string& expected) const;
  const std::string& file() const { return *file_; }
  /// The position in the file: "model.vocab".
  const std::string& path() const { return path_; }

 private:
  template <class T>
  T as(const char* expected) const;

  const std::string* file_;
  std::string path_;
  simdjson::dom::element value_;
};

template <class Take>
void Json::for_each(Take&& take) const {
  size_t index = 0;
  for (const auto element : array()) take(member(std::to_string(index++), element));
}

class JsonFile {
 public:
  /// Reads a file.
  /// errors    CheckpointError if the file is not JSON, deeper than 64 levels or larger than kMaxFileBytes;
  ///           NotFoundError, IoError
  explicit JsonFile(const std::filesystem::path& file);
  /// Parses a text in memory.
  JsonFile(const std::string& text, std::string name);
  const Json& root() const { return *root_; }

 private:
  std::string name_;
  simdjson::dom::parser parser_;
  std::optional<Json> root_;
};

}  // namespace portatune::text
