#include "portatune/cli/options/runs/growth_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/recipes/recipe.h"
#include "portatune/cli/options/runs/run_words.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

// Options of the whole run, which its stages do not have, or have otherwise.
const std::set<std::string> kOfAllStages = {
    "--grow", "--model", "--output", "--folds", "--resume", "--overwrite-output", "--seed"};

// The option of growth with this name, if there is one. The seed is that of the run.
std::optional<OptionField> growth_field(grow::GrowthOptions& growth, std::string key) {
  std::ranges::replace(key, '-', '_');
  std::vector<OptionField> fields = fields_of(growth);
  const auto found = std::ranges::find(fields, key, &OptionField::name);
  return found == fields.end() || key == "seed" ? std::nullopt : std::optional(*found);
}

void read_growth(const Recipe& stage, const Setting& setting, const OptionField& field) {
  const std::optional<std::string> expected =
      setting.is_list ? std::optional<std::string>("one value") : field.expected_instead_of(setting.values.front());
  if (!expected) return field.read(setting.values);
  throw UsageError({.where = place_of(stage, setting),
                    .given = setting.key + ": " + (setting.is_list ? "a list" : setting.values.front()),
                    .expected = *expected});
}

// The option of fit that a setting overrides: "--max-steps".
std::string option_of(const Recipe& stage, const Setting& setting) {
  const std::string option = own_name("fit", "--" + setting.key);
  if (!kOfAllStages.contains(option) && !is_of_all_runs(option)) return option;
  throw UsageError({.where = place_of(stage, setting),
                    .given = setting.key,
                    .expected = "an option that may differ between stages",
                    .fix = "give " + option + " on the command line"});
}

run::Stage stage_of(const FitArguments& a, const Recipe& file, std::set<std::filesystem::path>& models) {
  run::Stage stage;
  stage.growth.seed = a.training.seed;
  std::set<std::string> left_out = {"--grow", "--resume", "--overwrite-output"};
  std::vector<std::string> of_stage;
  for (const Setting& setting : file.settings) {
    const std::string values = fmt::format("{}={}", setting.key, fmt::join(setting.values, ","));
    stage.settings += (stage.settings.empty() ? "" : ", ") + values;
    if (const std::optional<OptionField> field = growth_field(stage.growth, setting.key)) {
      read_growth(file, setting, *field);
      continue;
    }
    const std::string option = option_of(file, setting);
    left_out.insert(option);
    for (const std::string& value : setting.values) of_stage.push_back(option + "=" + value);
  }
  std::vector<std::string> words =
      words_of_run(a, "fit", [&](const std::string& option) { return left_out.contains(option); });
  words.insert(words.end(), of_stage.begin(), of_stage.end());
  stage.options = options_in(words, a.stop, models);
  return stage;
}

}  // namespace

run::StagesOptions growth_stages(const FitArguments& a) {
  run::StagesOptions stages{.output = a.output, .resume = a.resume, .overwrite_output = a.overwrite_output};
  std::set<std::filesystem::path> models;
  for (const Recipe& stage : read_stages(a.grow)) stages.stages.push_back(stage_of(a, stage, models));
  return stages;
}

}  // namespace portatune::cli
