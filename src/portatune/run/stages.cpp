#include "portatune/run/stages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/files/output_file.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/text/json.h"
#include "portatune/run/fit.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/inputs/task/config_overrides.h"
#include "portatune/run/options/model_name.h"
#include "portatune/run/options/run_options.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/output_lock.h"
#include "portatune/run/output/run_checkpoints.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// The model and the settings of the stages. The file marks the folder of a run in stages.
constexpr const char* kStagesFile = "stages.json";

bool has_model(const std::filesystem::path& folder) { return std::filesystem::exists(folder / "config.json"); }

std::filesystem::path output_of(const StagesOptions& a, size_t stage) { return a.output / stage_name(stage); }

// The folder of a model that has grown and is not trained yet.
std::filesystem::path start_of(const StagesOptions& a, size_t stage) {
  return a.output / (stage_name(stage) + "-start");
}

std::string number_of(const StagesOptions& a, size_t stage) {
  return fmt::format("{} of {}", stage + 1, a.stages.size());
}

void refuse_beside_stages(bool is_given, const char* option, const char* expected, const char* fix = "") {
  if (is_given) train::refuse_option(option, "--grow as well", expected, fix);
}

void check_growth_options(const grow::GrowthOptions& growth) {
  check_ranges(growth);
  const grow::GrowthOptions defaults;
  const bool is_without_effect = growth.depth != defaults.depth || growth.noise != defaults.noise;
  if (growth.has_size() || !is_without_effect) return;
  train::refuse_option(growth.depth != defaults.depth ? "depth" : "noise", "a stage in which the model does not grow",
                       "layers, decoder_layers or intermediate_size in that stage");
}

void check_stages(const StagesOptions& a) {
  if (a.stages.empty()) train::refuse_option("grow", "no stage", "at least one");
  std::vector<grow::GrowthOptions> growths;
  const RunOptions& first = a.stages.front().options;
  if (a.stages.front().growth.has_size()) {
    refuse_beside_stages(!first.model.config_overrides.empty(), "config_overrides", "a first stage that does not grow");
  }
  for (const Stage& stage : a.stages) {
    refuse_beside_stages(stage.options.folds > 0, "folds", "one of them");
    refuse_beside_stages(stage.options.adapter, "adapter", "stages that train whole models",
                         "train the adapter on the model of the last stage, in a run of its own");
    refuse_beside_stages(!stage.options.resume_from_checkpoint.empty(), "resume_from_checkpoint",
                         "--resume, which resumes the stage that was interrupted");
    if (growths.empty() && stage.options.training.from_config && stage.growth.has_size()) {
      train::refuse_option("from_config", "sizes of the model in the first stage",
                           "its sizes in config.json, as no trained model grows before this stage");
    }
    check_options_of_run(stage.options);
    check_checkpoints(stage.options);
    check_growth_options(stage.growth);
    check_one_run(stage.options);
    growths.push_back(stage.growth);
  }
  grow::check_growth(hub::read_config(source_of(first.model, first.model.folder)), growths);
}

std::string first_model(const StagesOptions& a) { return name_of_model(a.stages.front().options.model.folder); }

// The settings of a stage that decide about its model.
train::RunFacts facts_of_stage(const Stage& stage) {
  train::RunFacts facts = {{"settings", stage.settings}};
  for (const train::RunFacts& part : {facts_in(stage.options), facts_in(stage.options.training)}) {
    facts.insert(part.begin(), part.end());
  }
  return facts;
}

// The number of stages of an earlier run that have begun.
size_t stages_begun(const StagesOptions& a) {
  size_t stage = 0;
  while (std::filesystem::exists(output_of(a, stage)) || std::filesystem::exists(start_of(a, stage))) ++stage;
  return stage;
}

UsageError other_stages(const std::string& given, const std::string& expected) {
  return UsageError({.where = "--resume",
                     .given = given,
                     .expected = expected,
                     .fix = "repeat the settings of the stages that have begun, which alone must not change; or "
                            "start a new run, with --overwrite-output or another --output"});
}

// Requires that the stages of an earlier run that have begun are those of this run. The others may be new.
void compare_stages(const StagesOptions& a, const io::JsonObject& earlier, Events& events) {
  const std::string model = earlier.get_string_or(train::kModelFact, "");
  if (model != first_model(a)) throw other_stages("model " + first_model(a), "model " + model + ", as before");
  const size_t begun = stages_begun(a);
  if (begun > a.stages.size()) {
    throw other_stages(fmt::format("{} stages", a.stages.size()),
                       fmt::format("at least the {} that have begun", begun));
  }
  for (size_t i = 0; i < a.stages.size(); ++i) {
    const std::string changes =
        train::describe_differences(earlier.get_string_map(stage_name(i)), facts_of_stage(a.stages[i]));
    if (changes.empty()) continue;
    if (i < begun) throw other_stages(fmt::format("stage {} with {}", i + 1, changes), "the stage as it has begun");
    if (earlier.has(stage_name(i))) events.notice(fmt::format("stage {} has changed: {}", number_of(a, i), changes));
  }
}

// Compares the stages with those of the run that is resumed, and writes them.
void record_stages(const StagesOptions& a, Events& events) {
  const std::filesystem::path file = a.output / kStagesFile;
  if (std::filesystem::exists(file)) compare_stages(a, io::JsonObject::read(file), events);
  nlohmann::ordered_json record = {{train::kModelFact, first_model(a)}};
  for (size_t i = 0; i < a.stages.size(); ++i) record[stage_name(i)] = facts_of_stage(a.stages[i]);
  replace_file(file, io::line_of(record));
}

// Removes the model that a trained stage has started from. Without config.json, the rest of a folder is no model.
void remove_start(const StagesOptions& a, size_t stage) {
  std::filesystem::remove(start_of(a, stage) / "config.json");
  std::filesystem::remove_all(start_of(a, stage));
}

// The folder of the model that a stage trains.
std::filesystem::path model_of_stage(const StagesOptions& a, size_t stage, Events& events) {
  const std::filesystem::path before = stage == 0 ? a.stages[0].options.model.folder : output_of(a, stage - 1);
  const grow::GrowthOptions& growth = a.stages[stage].growth;
  if (!growth.has_size()) return before;
  const std::filesystem::path start = start_of(a, stage);
  io::recover_directory(start);
  if (!has_model(start)) {
    std::filesystem::remove_all(start);
    events.notice(fmt::format("stage {}: the model grows", number_of(a, stage)));
    grow::grow_model(before, start, growth, {train::kSettingsFile});
  }
  return start;
}

std::optional<Outcome> train_stage(const StagesOptions& a, size_t stage, DeviceOfRuns& device, Events& events) {
  RunOptions options = a.stages[stage].options;
  options.output = output_of(a, stage);
  options.model.folder = model_of_stage(a, stage, events);
  options.training.from_config &= stage == 0;
  if (stage > 0) options.model.config_overrides.clear();  // the folder of the stage before has them, and its sizes
  options.training.must_match = {{"stage", std::to_string(stage + 1)}};
  options.resume = a.resume;
  io::recover_directory(options.output);
  const std::filesystem::path checkpoint = checkpoint_of(options, events);
  events.notice("stage " + number_of(a, stage));
  const RunPlan plan = plan_run(std::move(options), checkpoint, events);
  SurveyedRows rows(split_of(plan, *plan.task, events));
  return train_model(plan, rows, device, events);
}

}  // namespace

std::string stage_name(size_t stage) { return "stage-" + std::to_string(stage + 1); }

std::optional<Outcome> fit_stages(const StagesOptions& a, Events& events) {
  check_stages(a);
  const RunOptions& first = a.stages.front().options;
  const StopScope scope(first.stop);
  if (a.overwrite_output) require_model_elsewhere(first.model.folder, a.output);
  check_folder_of_runs(a.output, kStagesFile, a.resume, a.overwrite_output);
  const OutputLock lock(a.output, events);
  if (a.overwrite_output) {
    Events unobserved;
    static_cast<void>(plan_run(first, {}, unobserved));  // its errors come before anything is removed
    remove_earlier_runs(a.output, "stage-", {kStagesFile});
  }
  record_stages(a, events);
  DeviceOfRuns device(first.device, events);
  std::optional<Outcome> outcome;
  bool has_trained = false;
  for (size_t stage = 0; stage < a.stages.size(); ++stage) {
    if (has_model(output_of(a, stage))) {
      events.notice(fmt::format("stage {}: trained by an earlier run", number_of(a, stage)));
      outcome = outcome_of_finished(output_of(a, stage));
    } else {
      outcome = train_stage(a, stage, device, events);
      if (!outcome) return std::nullopt;
      has_trained = true;
    }
    remove_start(a, stage);
  }
  if (!has_trained) events.notice("nothing to do: all stages are trained");
  return outcome;
}

}  // namespace portatune::run
