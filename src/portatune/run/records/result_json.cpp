#include "portatune/run/records/result_json.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/io/text/json.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

// Numbers that are not finite become null.
Json object_of(const Scores& scores) {
  Json object = Json::object();
  for (const auto& [name, value] : scores) object[name] = value;
  return object;
}

Json object_of(const Evaluation& evaluation) {
  Json object = object_of(evaluation.scores);
  object["examples"] = evaluation.examples;
  object["seconds"] = evaluation.seconds;
  object["examples_per_second"] = evaluation.examples_per_second();
  if (evaluation.skipped_rows) object["skipped_rows"] = *evaluation.skipped_rows;
  return object;
}

Json object_of(const SweepRow& row) {
  Json settings = Json::object();
  for (const auto& [name, value] : row.settings) settings[name] = value;
  Json scores = Json::array();
  for (const std::optional<double>& score : row.scores) scores.push_back(score ? Json(*score) : Json(nullptr));
  return {{"settings", settings}, {"trials", row.trials},       {"seeds", row.seeds}, {"scores", scores},
          {"mean", row.mean},     {"deviation", row.deviation}, {"steps", row.steps}};
}

}  // namespace

std::string json_of(const std::vector<NamedEvaluation>& evaluations) {
  if (evaluations.size() == 1) return io::line_of(object_of(evaluations.front().evaluation));
  Json object;
  for (const auto& [name, evaluation] : evaluations) object[name] = object_of(evaluation);
  return io::line_of(object);
}

std::string json_of(const Outcome& outcome) {
  Json object;
  object["steps"] = outcome.steps;
  if (outcome.best_step > 0) object["best_step"] = outcome.best_step;
  if (outcome.model_step > 0) object["model_step"] = outcome.model_step;
  object["stopped_early"] = outcome.stopped_early;
  object["skipped_steps"] = outcome.skipped_steps;
  object["rewinds"] = outcome.rewinds;
  if (outcome.train_examples > 0) object["train_examples"] = outcome.train_examples;
  object["train_loss"] = outcome.train_loss;
  object["compile_seconds"] = outcome.compile_seconds;
  object["train_seconds"] = outcome.seconds;
  object["checkpoint_seconds"] = outcome.checkpoint_seconds;
  if (outcome.before) object["before"] = object_of(*outcome.before);
  if (outcome.after) object["after"] = object_of(*outcome.after);
  if (outcome.skipped_rows) object["skipped_rows"] = *outcome.skipped_rows;
  if (!outcome.deviations.empty()) object["deviations"] = outcome.deviations;
  if (!outcome.failed_checkpoints.empty()) object["failed_checkpoints"] = outcome.failed_checkpoints;
  object["output"] = outcome.output.string();
  return io::line_of(object);
}

std::string json_of(const FoldOutcome& outcome) {
  Json object = {{"folds", Json::array()}};
  for (const Scores& scores : outcome.folds) object["folds"].push_back(object_of(scores));
  object["out_of_fold"] = object_of(outcome.out_of_fold);
  object["output"] = outcome.output.string();
  return io::line_of(object);
}

std::string json_of(const SweepOutcome& outcome) {
  Json rows = Json::array(), failed = Json::array();
  for (const SweepRow& row : outcome.rows) rows.push_back(object_of(row));
  for (const FailedTrial& trial : outcome.failed) failed.push_back({{"trial", trial.name}, {"error", trial.error}});
  return io::line_of({{"metric", outcome.metric},
                      {"greater_is_better", outcome.greater_is_better},
                      {"best", outcome.best},
                      {"rows", std::move(rows)},
                      {"failed", std::move(failed)},
                      {"output", outcome.output.string()}});
}

}  // namespace portatune::run
