#include "portatune/train/loop/due_work.h"

#include <string>

#include "portatune/error.h"
#include "portatune/train/options.h"

namespace portatune::train {
namespace {

void require_work(const TrainingState& state, int64_t last_step) {
  if (state.steps() <= last_step) return;
  throw UsageError(
      {.where = "fit",
       .given = std::to_string(state.steps()) + " completed steps, and " + std::to_string(last_step) + " in total",
       .expected = "at least as many steps as were completed",
       .fix = "set more epochs or steps"});
}

// A run that stopped early is trained further if it gets more steps. Its patience starts again.
void extend_stopped_run(Evaluations& evaluations, int64_t last_step) {
  if (!evaluations.stopped_early || evaluations.planned_steps == 0 || last_step <= evaluations.planned_steps) return;
  evaluations.stopped_early = false;
  evaluations.planned_steps = 0;
  evaluations.without_improvement = 0;
}

}  // namespace

DueWork::DueWork(TrainingState& state, const FitOptions& options, Callback& callback, int64_t steps_per_epoch)
    : state_(state),
      options_(options),
      callback_(callback),
      steps_per_epoch_(steps_per_epoch),
      last_step_(total_steps(options, steps_per_epoch)),
      all_batches_(batches_of_epochs(last_step_, steps_per_epoch)) {
  require_work(state, last_step_);
  state.set_schedule(state.options().total_steps > 0 ? state.options().total_steps : last_step_);
  extend_stopped_run(state.evaluations(), last_step_);
  note_planned_steps();
}

double DueWork::epochs() const {
  return static_cast<double>(state_.batches_passed()) / static_cast<double>(steps_per_epoch_);
}

bool DueWork::is_over() const { return all_steps_made() || state_.evaluations().stopped_early; }

bool DueWork::all_steps_made() const { return state_.steps() == last_step_ || state_.next_batch() >= all_batches_; }

bool DueWork::at_epoch_end() const {
  return state_.next_batch() % steps_per_epoch_ == 0 || state_.steps() == last_step_;
}

bool DueWork::epoch_end_is_due() const { return at_epoch_end() && state_.in_epoch(); }

bool DueWork::evaluation_is_due() const {
  if (options_.validation.empty() || state_.steps() == state_.evaluations().step) return false;
  if (requests_.evaluate || options_.eval_on_request_only) return requests_.evaluate;
  if (options_.eval_steps == 0) return at_epoch_end() && options_.eval_delay <= epochs();
  if (options_.eval_delay > static_cast<double>(state_.steps())) return false;
  return state_.steps() % options_.eval_steps == 0 || all_steps_made();
}

bool DueWork::checkpoint_is_due(bool is_best) const {
  if (requests_.save) return true;
  const CheckpointOptions& checkpoints = options_.checkpoints;
  const bool is_last = all_steps_made();
  if (is_last && !checkpoints.last) return false;
  if (is_best && options_.best_model.load_at_end) return true;
  switch (checkpoints.strategy) {
    case SaveStrategy::kNo:
      return false;
    case SaveStrategy::kSteps:
      return checkpoints.every > 0 && (is_last || state_.steps() % checkpoints.every == 0);
    case SaveStrategy::kEpoch:
      return at_epoch_end();
    case SaveStrategy::kBest:
      return is_best;
  }
  return false;
}

bool DueWork::any_is_due() const {
  return requests_.end_epoch || at_epoch_end() || evaluation_is_due() || checkpoint_is_due(false);
}

void DueWork::add_requests() {
  StepRequests asked = callback_.requests();
  if (asked.log) {
    callback_.on_log_request();
    asked = callback_.requests();  // the record may have led to others
  }
  if (asked.evaluate && options_.validation.empty()) refuse_request("an evaluation", "validation rows");
  if (asked.save && options_.checkpoints.folder.empty()) refuse_request("a checkpoint", "a folder for checkpoints");
  requests_.evaluate |= asked.evaluate;
  requests_.save |= asked.save;
  requests_.end_epoch |= asked.end_epoch;
}

void DueWork::end_epoch_if_requested() {
  if (!requests_.end_epoch || at_epoch_end()) return;
  state_.end_epoch((state_.batches_passed() / steps_per_epoch_ + 1) * steps_per_epoch_);
}

void DueWork::note_planned_steps() {
  state_.set_planned_steps(all_steps_made() && state_.steps() < last_step_ ? last_step_ : 0);
}

void DueWork::refuse_request(const char* request, const char* expected) const {
  throw UsageError(
      {.where = "fit",
       .given = std::string("a callback that asks for ") + request + " after step " + std::to_string(state_.steps()),
       .expected = expected});
}

}  // namespace portatune::train
