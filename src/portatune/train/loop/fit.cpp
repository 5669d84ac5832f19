#include "portatune/train/loop/fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/clock.h"
#include "portatune/base/threads/stop.h"
#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/runtime/processes/shared_failure.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/evaluation/best_model.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/evaluation/model_evaluation.h"
#include "portatune/train/loop/data_watch.h"
#include "portatune/train/loop/due_work.h"
#include "portatune/train/loop/fit_errors.h"
#include "portatune/train/loop/input_meter.h"
#include "portatune/train/loop/periodic_saves.h"
#include "portatune/train/loop/skip_limit.h"
#include "portatune/train/options.h"
#include "portatune/train/program/batch_shapes.h"
#include "portatune/train/schedule.h"

namespace portatune::train {
namespace {

int64_t steps_per_epoch(const data::Dataset& batches, const FitOptions& options) {
  const int64_t steps = options.steps_per_epoch > 0 ? options.steps_per_epoch : batches.count();
  if (steps == 0) throw no_example("training data");
  return steps;
}

// One call of fit(): the steps, and what is due after each of them.
class FitLoop {
 public:
  FitLoop(TrainingState& state, const data::Dataset& batches, const FitOptions& options, Callback& callback)
      : state_(state),
        batches_(batches),
        options_(options),
        callback_(callback),
        due_(state, options, callback, steps_per_epoch(batches, options)),
        skips_(state.skips(), state.options(), due_.last_step()),
        data_(state, options, callback),
        saves_(state, options, callback, due_.last_step()) {}

  FitResult run() {
    notify_begin();
    if (due_.is_over()) load_weights();
    evaluate_and_end_epoch();  // of a run that stopped before it
    data::Cursor cursor = cursor_after_step();
    data_.set_unchanged();
    if (!due_.is_over()) require_unchanged_data();
    while (!due_.is_over() && !stopping_) take_step(cursor);
    // A stop request that arrives when everything is done changes nothing.
    result_.stopped = stopping_ && (!due_.is_over() || due_.evaluation_is_due() || due_.epoch_end_is_due());
    if (!result_.stopped) {
      require_sound_weights();
      require_unchanged_data();
    }
    const bool has_changed_data = result_.stopped && data_.note_any_change();
    saves_.retry_best();
    result_.checkpoint_s = saves_.seconds();
    result_.failed_checkpoints = saves_.failed();
    result_.steps = state_.steps();
    result_.skipped_steps = state_.skipped_steps();
    result_.non_finite_steps = state_.skips().all;
    result_.rewinds = state_.rewinds().all;
    result_.stopped_early = state_.evaluations().stopped_early;
    result_.mean_loss = state_.epoch_loss().mean();
    result_.best_step = state_.evaluations().best_step;
    result_.model_step = state_.steps();
    if (!options_.validation.empty() && state_.evaluations().step == state_.steps()) {
      result_.scores = state_.evaluations().scores;
    }
    if (!result_.stopped) {
      restore_best_model();
    } else if (!has_changed_data) {
      state_.data_state() = position_at_end(cursor);
    }
    return result_;
  }

 private:
  void notify_begin() {
    const std::string score =
        options_.validation.empty() ? "" : deciding_score(options_.best_model, options_.validation.front().name);
    callback_.on_begin({.steps = state_.steps(),
                        .total_steps = due_.last_step(),
                        .steps_per_epoch = due_.steps_per_epoch(),
                        .omitted_steps = state_.next_batch() - state_.steps(),
                        .deciding_score = score,
                        .greater_is_better = is_greater_better(options_.best_model, score)});
  }

  // Loads the weights of a run that has made all its steps without saving its model.
  void load_weights() {
    const std::optional<data::Example> batch = in_all(state_.processes(), [&] { return batches_.iterate().next(); });
    if (!batch) throw no_example("training data");
    state_.load(*batch);
  }

  void take_step(data::Cursor& cursor) {
    try {
      step(keeping_work([&] { return next_batch(cursor); }), cursor);
    } catch (const Stopped&) {  // during a wait for data
      if (!shapes_) throw;      // there is no work to lose
      stopping_ = true;
      finish_running();
    }
  }

  data::Example next_batch(data::Cursor& cursor) {
    data::Example batch = in_all(state_.processes(), [&] {
      omit_ended_steps(cursor);
      std::optional<data::Example> next = input_.next(cursor);
      if (!next) throw no_example("training data");
      if (shapes_) shapes_->require(state_.task(), *next);
      return std::move(*next);
    });
    note_progress();
    if (!shapes_) {
      compile_all(batch);
      shapes_->require(state_.task(), batch);
    }
    return batch;
  }

  // Skips the batches that an ended epoch lacks.
  void omit_ended_steps(data::Cursor& cursor) {
    const int64_t count = state_.next_batch() - state_.batches_passed();
    if (count == 0) return;
    has_position_ = false;  // if a stop interrupts the next line
    cursor.skip(count);
    has_position_ = true;
    state_.omit_ended_steps();
  }

  // Saves the steps made so far if the data fail, which leaves the device unharmed. In a process group all processes
  // have the error, as saving needs all.
  template <class Work>
  std::invoke_result_t<Work> keeping_work(const Work& work) {
    try {
      return work();
    } catch (const DeviceError&) {
      throw;
    } catch (const NumericError&) {
      throw;
    } catch (const Error&) {
      if (!shapes_) throw;
      save_completed_steps();
      throw;
    }
  }

  // Called after a failure, whose error is the one to report in the end.
  void save_completed_steps() {
    std::string fault;
    try {
      finish_running();
      // Rows may be invalid because a file has changed.
      if (const std::optional<ChangedData> change = data_.change()) data_.note_with_warning(*change);
      fault = save_before_end().fault;  // on_checkpoint() reports its path
    } catch (const Error& error) {
      fault = one_line(error.report());
    }
    if (!fault.empty()) callback_.on_warning("the completed steps could not be saved: " + fault);
  }

  // The position of the data; empty if a stop interrupted the start of the next pass, which then has no position, or
  // the end of an ended epoch. A resume in this case skips the batches of the steps made.
  std::string position_of(const data::Cursor& cursor) const {
    if (!has_position_) return {};
    try {
      return cursor.state();
    } catch (const Stopped&) {
      return {};
    }
  }

  // Returns the batches after that of the last step: at the position in the checkpoint, or by skipping the used ones.
  data::Cursor cursor_after_step() {
    const data::Dataset epochs = batches_.repeat();
    if (!state_.data_state().empty()) return epochs.resume(state_.data_state(), &input_.stages());
    data::Cursor cursor = epochs.iterate(0, &input_.stages());
    cursor.skip(state_.batches_passed());
    return cursor;
  }

  // The shapes of all validation sets, each once.
  std::vector<Signature> shapes_of_evaluations() const {
    std::vector<Signature> all;
    for (const EvaluationSet& set : options_.validation) {
      const std::optional<data::Example> batch = set.batches.iterate().next();
      if (!batch) continue;
      const BatchShapes shapes(state_.task(), *batch);
      for (const Signature& shape : shapes.all()) {
        if (std::ranges::find(all, shape) == all.end()) all.push_back(shape);
      }
    }
    return all;
  }

  // Stages before a prefetch prepare further batches during compilation.
  void compile_all(const data::Example& first) {
    const Clock::time_point begin = Clock::now();
    BatchShapes shapes(state_.task(), first);
    const std::vector<Signature> evaluations = in_all(state_.processes(), [&] { return shapes_of_evaluations(); });
    const int64_t compiled = state_.compile(shapes.all(), evaluations);
    shapes_ = std::move(shapes);  // last: a stop before this line would lose the first batch, which no step has used
    result_.compile_s = seconds_since(begin);
    callback_.on_ready(std::ssize(shapes_->all()) + std::ssize(evaluations), compiled, result_.compile_s);
    input_.restart();
  }

  bool should_stop() {
    const bool by_callback = callback_.should_stop();
    return in_any(state_.processes(), by_callback || options_.stop.stop_requested());
  }

  // cursor  position of the batches after this one
  void step(data::Example batch, const data::Cursor& cursor) {
    StepResult started = keeping_work([&] { return state_.start_step(batch); });
    input_.started(started);
    if (finish_running()) {
      started = state_.start_step(batch);  // the first start has changed nothing
      input_.started(started);
    }
    running_.emplace(std::move(started), std::move(batch));
    if (callback_.waits_for_steps()) finish_running();
    due_.start_step();
    due_.add_requests();
    saves_.finish_completed();
    stopping_ = should_stop();
    const bool is_due = due_.any_is_due();
    if (is_due || stopping_ || skips_.exceeded()) finish_running();
    if (skips_.exceeded()) end_after_skips(cursor);
    if (!is_due) return;
    due_.add_requests();
    due_.end_epoch_if_requested();
    const bool is_best_in_epoch = evaluate_if_due();
    due_.add_requests();
    due_.end_epoch_if_requested();
    const bool is_best = evaluate_and_end_epoch() || is_best_in_epoch;
    due_.add_requests();
    if (due_.checkpoint_is_due(is_best)) {
      require_sound_weights();
      require_unchanged_data();
      state_.data_state() = cursor.state();
      require_unchanged_data();  // again, because the position names the files as they are now
      saves_.start();
      if (due_.checkpoint_is_requested()) saves_.finish();
    } else if (due_.at_epoch_end() && !stopping_ && !due_.is_over()) {
      require_unchanged_data();
    }
  }

  // The position of the data at the end of the run; empty if they have changed, because a position names the files as
  // the epoch has found them. A resume from the restored files then skips the batches of the steps made.
  std::string position_at_end(const data::Cursor& cursor) {
    if (data_.note_any_change()) return {};
    std::string position = position_of(cursor);
    return data_.note_any_change() ? std::string() : position;
  }

  void require_unchanged_data() {
    const std::optional<ChangedData> change = data_.change();
    if (change && !options_.use_changed_data) end_for_changed_data(*change);
    if (change) data_.accept(*change);
    data_.set_unchanged();
  }

  // Reports the checkpoint of the last step whose data were certainly unchanged, if there is one.
  [[noreturn]] void end_for_changed_data(const ChangedData& change) {
    const int64_t unchanged_until = data_.unchanged_until();
    const bool is_known = state_.steps() == unchanged_until;
    saves_.finish();
    SavedBefore saved{.path = checkpoint_path(options_.checkpoints.folder, unchanged_until), .fault = {}};
    std::string doubt;
    if (is_known || state_.last_checkpoint() != saved.path) {
      if (!is_known) {
        data_.note(change);
        doubt = ", whose steps after step " + std::to_string(unchanged_until) + " may have used changed data";
      }
      state_.data_state().clear();  // as in position_at_end()
      saved = shapes_ ? save_before_end() : SavedBefore{};
    }
    std::string given = change.change + ", as found after step " + std::to_string(state_.steps());
    if (!saved.path.empty()) given += "; saved: " + saved.path.string() + doubt;
    if (!saved.fault.empty()) given += "; the completed steps could not be saved: " + saved.fault;
    throw DataError({.where = change.file,
                     .given = given,
                     .expected = "a file that does not change during training",
                     .fix = "restore the file and resume, or accept the change with --changed-data use"});
  }

  // Returns whether training has rewound, in which case later started steps have changed nothing.
  bool finish_running() {
    if (!running_) return false;
    const auto& [result, batch] = *running_;
    const bool ended = ends_training(result, state_.options().on_non_finite);
    note_progress();  // the step is done, as its numbers have been read
    if (ended) saves_.finish();
    if (ended && !may_rewind()) throw end_before(result, batch);
    if (!state_.in_epoch()) state_.epoch_loss() = {};
    state_.in_epoch() = true;
    if (std::isfinite(result.loss())) state_.epoch_loss().add(result.loss(), result.weight());
    callback_.on_input(input_.wait());
    callback_.on_step(result, due_.last_step());
    if (ended) {
      rewind(result.step());
      callback_.on_rewind(result, batch.row_origins(), state_.last_checkpoint());
    } else if (result.skipped()) {
      callback_.on_skip(result, batch.row_origins());
    }
    skips_.count(result, batch);
    if (!result.skipped()) sound_batch_ = std::move(running_->second);
    running_.reset();
    if (!std::exchange(saves_are_prepared_, true) && saves_checkpoints(options_)) state_.prepare_copies();
    return ended;
  }

  bool may_rewind() const {
    return state_.options().on_non_finite == OnNonFinite::kRewind && state_.rewinds().in_a_row < kMaxRewinds;
  }

  void rewind(int64_t step) {
    try {
      state_.rewind(step);
    } catch (Error& error) {
      error.set_context("rewind after step " + std::to_string(step) + ", which is not finite");
      throw;
    }
  }

  // Many skips in a row make the weights themselves suspect: such a state is not kept.
  [[noreturn]] void end_after_skips(const data::Cursor& cursor) {
    const TooManySkips& skips = *skips_.exceeded();
    SavedBefore saved;
    if (!skips.in_a_row) {
      state_.data_state() = position_at_end(cursor);
      saved = save_before_end();
    }
    throw too_many_skips(skips, state_.has_finite_weights(), saved);
  }

  // The last update may have left finite weights with a non-finite loss. A batch with a finite loss shows it.
  void require_sound_weights() {
    if (state_.skips().in_a_row == 0 || !sound_batch_) return;
    const std::string first = state_.first_not_finite(*sound_batch_);
    if (first.empty()) return;
    throw unsound_weights(state_.steps(), state_.skips().in_a_row, *sound_batch_, first);
  }

  // The error of a step, after a return to the state before it.
  NumericError end_before(const StepResult& result, const data::Example& batch) {
    const int64_t rewinds = state_.rewinds().in_a_row;  // saving may reset it
    state_.restore_before(result.step());
    const SavedBefore saved = save_before_end();  // first, as what follows needs memory and may fail
    std::string first;
    try {
      first = state_.first_not_finite(batch);
    } catch (const Error&) {  // the error of the step is the one to report
    }
    return not_finite(result, batch, first, saved, rewinds);
  }

  SavedBefore save_before_end() {
    saves_.finish();
    if (state_.steps() == 0 || options_.checkpoints.folder.empty() || !state_.has_finite_weights()) return {};
    const std::filesystem::path path = saves_.path();
    // An existing one also has the position of the data. All decide together, as the first process may write at once.
    if (in_any(state_.processes(), fault_in_checkpoint(path).empty())) return {.path = path, .fault = {}};
    try {
      return {.path = saves_.save(), .fault = {}};
    } catch (const Error& error) {
      return {.path = {}, .fault = one_line(error.report())};
    } catch (const std::exception& error) {
      return {.path = {}, .fault = error.what()};
    }
  }

  bool stops_validation() {
    saves_.finish_completed();
    return should_stop();
  }

  // Does what is due after the last step, apart from saving. Returns whether its model is the best so far.
  bool evaluate_and_end_epoch() {
    const bool is_best = evaluate_if_due();
    if (!due_.epoch_end_is_due() || due_.evaluation_is_due()) return is_best;
    end_epoch();
    due_.add_requests();
    return evaluate_if_due() || is_best;
  }

  bool evaluate_if_due() {
    return due_.evaluation_is_due() && keeping_work([&] { return evaluate_sets(); });
  }

  // Measures the model and its averages, unless a stop request ends that. Returns whether it is the best so far.
  bool evaluate_sets() {
    if (stopping_) return false;
    const std::optional<bool> is_best = evaluate_model(state_, options_, due_.all_steps_made() ? 0 : due_.last_step(),
                                                       [&] { return stops_validation(); });
    stopping_ = !is_best;
    if (stopping_) return false;
    callback_.on_evaluation(state_.steps(), due_.epochs(), state_.evaluations().scores);
    stopping_ = should_stop();
    input_.restart();
    return *is_best;
  }

  void end_epoch() {
    const Evaluations& last = state_.evaluations();
    state_.in_epoch() = false;
    due_.note_planned_steps();
    callback_.on_epoch_end(due_.epochs(), state_.epoch_loss().mean(),
                           last.step == state_.steps() ? last.scores : Scores{});
    // A run that was just resumed, and has no validation set, has not loaded the weights that a stop would save.
    if (!state_.weights().empty()) stopping_ = should_stop() || stopping_;
    input_.restart();
  }

  void restore_best_model() {
    const Evaluations& evaluations = state_.evaluations();
    if (!options_.best_model.load_at_end || evaluations.best_step == 0) return;
    if (evaluations.best_step == state_.steps()) return;  // these are its weights
    const std::filesystem::path checkpoint = best_checkpoint(state_, options_.checkpoints.folder);
    if (checkpoint.empty()) {
      const std::string best = std::to_string(evaluations.best_step), last = std::to_string(state_.steps());
      state_.add_deviation("the best model, of step " + best + ", has no valid checkpoint: the model is that of step " +
                           last);
      return callback_.on_warning(state_.deviations().back());
    }
    state_.restore(checkpoint);
    result_.model_step = evaluations.best_step;
    result_.scores = evaluations.best_scores;
  }

  TrainingState& state_;
  const data::Dataset& batches_;
  const FitOptions& options_;
  Callback& callback_;
  DueWork due_;
  bool stopping_ = false;
  bool has_position_ = true;  // whether the position of the batches is that after the last step
  SkipLimit skips_;
  DataWatch data_;
  std::optional<data::Example> sound_batch_;  // last batch with a finite loss
  FitResult result_;
  std::optional<BatchShapes> shapes_;
  InputMeter input_;
  // The step that runs while the next batch is prepared; its numbers are read once the next step has started.
  std::optional<std::pair<StepResult, data::Example>> running_;
  bool saves_are_prepared_ = false;
  PeriodicSaves saves_;  // last: its destructor waits for the running save
};

// Sets the observer of compilations until the end of fit() or an error in it.
class CallbackWhileFitting {
 public:
  CallbackWhileFitting(TrainingState& state, Callback& callback) : state_(state) { state_.set_callback(&callback); }
  ~CallbackWhileFitting() { state_.set_callback(nullptr); }
  CallbackWhileFitting(const CallbackWhileFitting&) = delete;
  CallbackWhileFitting& operator=(const CallbackWhileFitting&) = delete;

 private:
  TrainingState& state_;
};

}  // namespace

FitResult fit(TrainingState& state, const data::Dataset& batches, const FitOptions& options) {
  check(options, state.options());
  if (options.validation.empty()) require_no_plateau(state.options(), "no evaluation during training");
  Callback none;
  Callback& callback = options.callback != nullptr ? *options.callback : none;
  const CallbackWhileFitting observer(state, callback);
  // The processes of a group stop together, between two steps.
  const StopScope scope(state.processes() == nullptr ? options.stop : StopToken());
  return FitLoop(state, batches, options, callback).run();
}

}  // namespace portatune::train
