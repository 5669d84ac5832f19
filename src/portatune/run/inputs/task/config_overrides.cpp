#include "portatune/run/inputs/task/config_overrides.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "portatune/error.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::run {
namespace {

constexpr const char* kOption = "config_overrides";

// The value as JSON; what is no JSON is a text. Python's True and False are those of JSON.
std::string as_json(const std::string& value) {
  if (value == "True" || value == "False") return value == "True" ? "true" : "false";
  if (value == "None") return "null";
  if (nlohmann::json::accept(value)) return value;
  text::require_utf8(value);
  return nlohmann::json(value).dump();
}

void add(const std::string& assignment, ConfigValues& values) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError({.where = kOption,
                      .given = assignment,
                      .expected = "KEY=VALUE, or several with commas between them: hidden_dropout_prob=0.2"});
  }
  const std::string key = assignment.substr(0, equals);
  if (values.emplace(key, as_json(assignment.substr(equals + 1))).second) return;
  throw UsageError({.where = kOption, .given = "two values of " + key, .expected = "one"});
}

ConfigValues values_of(const std::vector<std::string>& texts) {
  static const std::regex kBeforeKey(",(?=[A-Za-z_][A-Za-z0-9_]*=)");  // values may have commas: [0, 1]
  ConfigValues values;
  for (const std::string& text : texts) {
    for (auto part = std::sregex_token_iterator(text.begin(), text.end(), kBeforeKey, -1);
         part != std::sregex_token_iterator(); ++part) {
      add(part->str(), values);
    }
  }
  return values;
}

}  // namespace

ModelSource source_of(const ModelOptions& model, const std::filesystem::path& folder) {
  ModelSource source(folder, values_of(model.config_overrides));
  source.valid_checkpoint = model.valid_checkpoint;
  return source;
}

void require_known_overrides(const ModelOptions& model, const RowTask& task) {
  const std::vector<std::string> unknown = task.unknown_config_keys();
  for (const auto& [key, value] : values_of(model.config_overrides)) {
    if (std::ranges::find(unknown, key) == unknown.end()) continue;
    throw UsageError({.where = kOption,
                      .given = "the key " + key + ", which this model does not read",
                      .expected = "a key of its config.json, as transformers spells it"});
  }
}

}  // namespace portatune::run
