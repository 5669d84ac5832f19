#include "portatune/run/inputs/task/model_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"
#include "portatune/run/inputs/task/given_options.h"
#include "portatune/tasks/registry.h"
#include "portatune/tasks/text_task.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const GivenOption& option) {
  if (option.values.size() != 1) return option.values;
  return option.values.front() == "true" ? Json(true) : Json(option.values.front());
}

}  // namespace

bool is_kept(std::string_view key) {
  TaskOptions defaults;
  const std::vector<OptionField> fields = tasks::option_fields(defaults);
  const auto found = std::ranges::find(fields, key, &OptionField::name);
  return key == "task" || (found != fields.end() && found->rules.kept);
}

std::string settings_text(const ModelOptions& model, const RowTask& task) {
  Json settings = {{"task", model.task}};
  const bool has_max_length = dynamic_cast<const TextTask*>(&task) != nullptr;  // an option of tasks on texts
  if (has_max_length && task.max_length() > 0) settings["max_length"] = task.max_length();
  for (const GivenOption& option : model.given) {
    const std::string key = as_key(option.name);
    if (is_kept(key) && !settings.contains(key)) settings[key] = value_of(option);
  }
  return io::indented_text(settings);
}

}  // namespace portatune::run
