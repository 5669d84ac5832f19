#include "portatune/run/output/finished_run.h"

#include <fmt/format.h>

#include "portatune/base/text/number.h"
#include "portatune/run/output/output_error.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/schedule.h"

namespace portatune::run {
namespace {

std::string end_of(const train::RunRecord& record) {
  const std::string steps = grouped(record.steps);
  if (record.stopped_early) return "which stopped early after step " + steps;
  if (record.planned_steps > 0) return "which ended after step " + steps + ", as a callback ended epochs";
  return "after all of its " + steps + " steps";
}

// Whether a run has ended before all of its steps.
bool has_ended_before(const train::RunRecord& record) { return record.stopped_early || record.planned_steps > 0; }

OutputError no_checkpoint_to_resume(const RunPlan& plan, int64_t steps_made, int64_t all_steps) {
  return OutputError(
      {.where = "--resume",
       .given = fmt::format("a model in {} that is trained for {} steps, and no checkpoint of the last one",
                            plan.output.string(), grouped(steps_made)),
       .expected = fmt::format("a checkpoint to train it further from, for {} steps altogether; runs with "
                               "--checkpoint-every keep one of the last step",
                               grouped(all_steps)),
       .fix = fmt::format("start a new run from that model, with a new optimizer and schedule: --model "
                          "{} and another --output",
                          plan.output.string())});
}

// Whether a run that has ended before all of its steps gets more than it had before.
bool is_extended(const train::RunRecord& record, const TrainingOptions& training) {
  return record.planned_steps > 0 && training.total_steps > record.planned_steps;
}

void report_further_training(const Trainer& trainer, const TrainingOptions& training, Events& events) {
  const int64_t made = trainer.steps(), all = training.total_steps;
  events.notice(
      fmt::format("training a finished run further: {} steps are made, {} in all", grouped(made), grouped(all)));
  if (!train::depends_on_total_steps(training)) return;
  events.notice(
      fmt::format("the learning rate continues at {:.3g}, by the schedule of {} steps; the steps that are made "
                  "had the rates of a shorter one",
                  train::learning_rate(training, {.step = made + 1, .total_steps = all}), grouped(all)));
}

}  // namespace

bool is_finished(const RunPlan& plan, const TrainingOptions& training, Events& events) {
  const auto record = plan.resume ? train::find_run_record(plan.output) : std::nullopt;
  if (!record) return false;
  if (is_extended(*record, training) || (record->steps != training.total_steps && !has_ended_before(*record))) {
    if (plan.checkpoint.empty()) throw no_checkpoint_to_resume(plan, record->steps, training.total_steps);
    return false;
  }
  train::require_same_run(plan.output, record->run, train::facts_of(training, plan.device.mesh), training.may_differ);
  events.notice(fmt::format("nothing to do: {} has the model of this run, {}", plan.output.string(), end_of(*record)));
  return true;
}

void resume(Trainer& trainer, const RunPlan& plan, const TrainingOptions& training, Events& events) {
  const std::filesystem::path& from = plan.checkpoint;
  if (from.empty()) {
    if (plan.resume) events.notice("no checkpoint to resume from yet");
    return;
  }
  events.notice("resuming from " + from.string());
  trainer.resume(from, plan.model.valid_checkpoint.get());
  for (const std::string& deviation : trainer.deviations()) events.warning(deviation);
  if (trainer.steps() > training.total_steps) {
    throw UsageError({.where = "resuming from " + from.string(),
                      .given = fmt::format("a run of {} steps", grouped(training.total_steps)),
                      .expected = fmt::format("at least the {} steps that are made", grouped(trainer.steps())),
                      .fix = "ask for more epochs or steps"});
  }
  const auto record = train::find_run_record(plan.output);
  if (record && is_extended(*record, training) && trainer.steps() < record->steps) {
    throw no_checkpoint_to_resume(plan, record->steps, training.total_steps);
  }
  if (record && record->steps == trainer.steps() && record->steps < training.total_steps) {
    report_further_training(trainer, training, events);
  }
}

}  // namespace portatune::run
