// The state of a pass, as a stage reads it back.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace portatune::data {

/// What Iterator::state() of one stage has said. Looks at it without owning it.
/// errors  DataError that names the stage, for what is missing or of another type
class SavedState {
 public:
  /// stage   what the state must be of, as its "stage" says
  SavedState(std::string_view stage, const nlohmann::json& state);

  int64_t count(std::string_view key, int64_t most = std::numeric_limits<int64_t>::max()) const;  ///< 0 to `most`
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  /// Anything: the state of an input, say.
  const nlohmann::json& part(std::string_view key) const;
  /// errors  DataError with both, unless `key` is `now`
  void require_same(std::string_view key, const nlohmann::json& now) const;
  /// The error of a state that says something impossible.
  [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

 private:
  std::string stage_;
  const nlohmann::json& state_;
};

}  // namespace portatune::data
