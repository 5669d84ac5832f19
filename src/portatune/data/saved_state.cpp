#include "portatune/data/saved_state.h"

#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kFix = "resume with the same data, and the same verbs in the same order";

std::string stage_of(const nlohmann::json& state) {
  const bool is_named = state.is_object() && state.contains("stage") && state["stage"].is_string();
  return is_named ? "the state of " + in_quotes(state["stage"].get<std::string>()) : "a state without a stage";
}

}  // namespace

SavedState::SavedState(std::string_view stage, const nlohmann::json& state) : stage_(stage), state_(state) {
  const std::string expected = "the state of " + in_quotes(stage);
  if (stage_of(state) == expected) return;
  throw DataError({.where = "resuming " + stage_, .given = stage_of(state), .expected = expected, .fix = kFix});
}

int64_t SavedState::count(std::string_view key, int64_t maximum) const {
  const nlohmann::json& value = part(key);
  const bool fits = value.is_number_integer() && value.get<int64_t>() >= 0 && value.get<int64_t>() <= maximum;
  if (!fits) refuse(key, "an integer from 0 to " + std::to_string(maximum));
  return value.get<int64_t>();
}

bool SavedState::flag(std::string_view key) const {
  const nlohmann::json& value = part(key);
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

std::string SavedState::text(std::string_view key) const {
  const nlohmann::json& value = part(key);
  if (!value.is_string()) refuse(key, "a text");
  return value.get<std::string>();
}

const nlohmann::json& SavedState::part(std::string_view key) const {
  const auto found = state_.find(key);
  if (found != state_.end()) return *found;
  throw DataError({.where = "resuming " + stage_, .given = "a state without " + in_quotes(key), .fix = kFix});
}

void SavedState::require_same(std::string_view key, const nlohmann::json& now) const {
  if (part(key) != now) refuse(key, now.dump());
}

void SavedState::refuse(std::string_view key, const std::string& expected) const {
  throw DataError({.where = "resuming " + stage_,
                   .given = std::string(key) + " = " + shortened(part(key).dump()) + " in its state",
                   .expected = expected,
                   .fix = kFix});
}

}  // namespace portatune::data
