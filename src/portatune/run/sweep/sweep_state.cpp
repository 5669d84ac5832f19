#include "portatune/run/sweep/sweep_state.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/files/output_file.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/run/options/model_name.h"
#include "portatune/train/checkpoint/run_record.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TrialState& state) {
  Json rungs = Json::array();
  for (const auto& [index, result] : state.rungs) {
    rungs.push_back({{"rung", index}, {"step", result.step}, {"scores", train::json_of(result.scores)}});
  }
  Json object = {{"rungs", std::move(rungs)}};
  if (!state.error.empty()) object["error"] = state.error;
  return object;
}

Json json_of(const std::vector<TrialSetting>& settings) {
  Json object = Json::object();
  for (const auto& [name, value] : settings) object[name] = value;
  return object;
}

TrialState state_of(const io::JsonObject& object) {
  TrialState state{.rungs = {}, .error = object.get_string_or("error", "")};
  for (const io::JsonObject& rung : object.get_objects("rungs")) {
    state.rungs[static_cast<size_t>(rung.get_int("rung", {.least = 0}))] = {.step = rung.get_int("step", {.least = 1}),
                                                                            .scores = train::scores_of(rung, "scores")};
  }
  return state;
}

}  // namespace

SweepState::SweepState(std::filesystem::path output, train::RunFacts facts, const std::vector<Trial>& trials)
    : file_(std::move(output) / kSweepFile), facts_(std::move(facts)), trials_(trials), states_(trials.size()) {
  remove_leftovers({&file_, 1});
  if (std::filesystem::exists(file_)) {
    load();
  } else {
    save();
  }
}

void SweepState::load() {
  const io::JsonObject saved = io::JsonObject::read(file_);
  const std::string differences =
      train::describe_differences(with_name_of_model(saved.get_string_map("facts")), facts_);
  if (!differences.empty()) {
    throw UsageError({.where = "--resume of the sweep in " + file_.parent_path().string(),
                      .given = differences,
                      .expected = "the options of that sweep",
                      .fix = "repeat them, or choose another folder"});
  }
  const std::vector<io::JsonObject> trials = saved.get_objects("trials");
  if (trials.size() != trials_.size()) {
    throw CheckpointError({.where = file_.string(),
                           .given = std::to_string(trials.size()) + " trials",
                           .expected = std::to_string(trials_.size())});
  }
  for (size_t i = 0; i < trials.size(); ++i) states_[i] = state_of(trials[i]);
  best_ = saved.get_string_or("best", "");
}

void SweepState::save() const {
  Json trials = Json::array();
  for (size_t i = 0; i < trials_.size(); ++i) {
    Json trial = {{"name", trial_name(i)},
                  {"settings", json_of(trials_[i].settings)},
                  {"seed", trials_[i].options.training.seed}};
    trial.update(json_of(states_[i]));
    trials.push_back(std::move(trial));
  }
  Json sweep = {{"facts", facts_}, {"trials", std::move(trials)}};
  if (!best_.empty()) sweep["best"] = best_;
  replace_file(file_, io::indented_text(sweep));
}

void SweepState::add(size_t trial, size_t rung, RungResult result) {
  states_[trial].rungs.insert_or_assign(rung, std::move(result));
  save();
}

void SweepState::fail(size_t trial, std::string error) {
  states_[trial].error = std::move(error);
  save();
}

void SweepState::set_best(std::string trial) {
  best_ = std::move(trial);
  save();
}

}  // namespace portatune::run
