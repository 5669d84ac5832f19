// Validation of the saved state of a pass.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace portatune::data {

/// Reads a result of Iterator::state(), which it does not own.
/// errors  DataError that names the stage, for a key that is missing or of another type
class SavedState {
 public:
  /// stage   required value of "stage"
  /// errors  DataError for the state of another stage
  SavedState(std::string_view stage, const nlohmann::json& state);

  int64_t count(std::string_view key, int64_t maximum = std::numeric_limits<int64_t>::max()) const;  ///< 0 to `maximum`
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  /// The value of a key, of any type, such as the state of an input.
  const nlohmann::json& part(std::string_view key) const;
  /// errors  DataError with both values, unless the value of `key` is `now`
  void require_same(std::string_view key, const nlohmann::json& now) const;
  /// Throws the DataError for an impossible value.
  [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

 private:
  std::string stage_;
  const nlohmann::json& state_;
};

}  // namespace portatune::data
