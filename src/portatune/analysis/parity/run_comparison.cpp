#include "portatune/analysis/parity/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/program/progress.h"
#include "portatune/train/state.h"

namespace portatune::parity {
namespace {

ParameterState state_of(const train::TrainingState& run, size_t parameter) {
  return {run.weights().value(parameter), run.weights().accumulated_gradient(parameter)};
}

double relative_to(double scale, double distance) { return distance == 0 ? 0 : distance / scale; }

void keep_largest(Drift& largest, const Drift& found) {
  if (largest.step == 0 || found.apart > largest.apart) largest = found;
}

class Comparer {
 public:
  Comparer(const Task& task, const Run& first, const Run& second, const RunComparisonOptions& options)
      : options_(options),
        first_(first.device, task, first.options),
        second_(second.device, task, second.options),
        result_{.tolerance = drift_tolerance(options.tolerance)} {
    for (train::TrainingState* run : {&first_, &second_}) {
      run->set_callback(options.callback);
      run->set_schedule(options.total_steps);
    }
  }

  RunComparison run(const data::Dataset& batches) {
    data::Cursor cursor = batches.repeat().iterate();
    for (int64_t i = 0; i < options_.steps; ++i) {
      stop_if_requested();
      const std::optional<data::Example> batch = cursor.next();
      if (!batch) throw train::no_example("training data");
      step(*batch);
      if (result_.not_finite) break;  // the runs differ from here on
    }
    for (std::vector<Drift>* found : {&result_.parameters, &beyond_}) {
      std::erase_if(*found, [this](const Drift& drift) {
        return drift.kind == Drift::Kind::kParameter && small_.contains(drift.tensor);
      });
    }
    for (const Drift& drift : beyond_) {
      if (drift.step == beyond_.front().step) result_.first_beyond.push_back(drift);
      ++std::ranges::find(result_.steps, drift.step, &ComparedStep::step)->tensors_beyond;
    }
    return std::move(result_);
  }

 private:
  // Makes the steps one after the other, so that the activations of only one are in memory.
  void step(const data::Example& batch) {
    ComparedStep step;
    const StepResult of_first = first_.start_step(batch);
    step.step = of_first.step();
    step.loss[0] = of_first.loss();
    step.grad_norm[0] = of_first.grad_norm();
    const StepResult of_second = second_.start_step(batch);
    step.loss[1] = of_second.loss();
    step.grad_norm[1] = of_second.grad_norm();
    const std::array<bool, 2> ended = {has_ended(of_first, first_), has_ended(of_second, second_)};
    if (ended[0] && ended[1]) throw not_finite(step, to_string(batch.origin()));
    if (ended[0] != ended[1]) {
      train::TrainingState& run = ended[0] ? first_ : second_;
      run.restore_before(step.step);
      result_.not_finite = {.run = ended[0] ? 0 : 1, .step = step.step, .first = run.first_not_finite(batch)};
      result_.steps.push_back(step);
      return;
    }
    path_ += of_first.learning_rate();
    if (step.step == 1 || step.step % options_.every == 0 || step.step == options_.steps) compare_tensors(step);
    result_.steps.push_back(step);
    if (options_.callback != nullptr) options_.callback->on_step(of_first, options_.steps);
  }

  static bool has_ended(const StepResult& result, const train::TrainingState& run) {
    return train::ends_training(result, run.options().on_non_finite);
  }

  static NumericError not_finite(const ComparedStep& step, const std::string& rows) {
    return NumericError({.where = "step " + std::to_string(step.step),
                         .given = "a non-finite loss or gradient in both runs, in the batch that begins at " + rows,
                         .expected = "finite numbers",
                         .fix = "lower the learning rate, add warm-up steps, or look at these rows"});
  }

  std::vector<Distance> distances() const {
    std::vector<Distance> distances;
    for (size_t i = 0; i < first_.weights().names().size(); ++i) {
      stop_if_requested();
      distances.push_back(distance(state_of(first_, i), state_of(second_, i), result_.tolerance.small));
    }
    return distances;
  }

  void compare_tensors(ComparedStep& step) {
    const std::vector<Distance> found = distances();
    largest_.resize(found.size());
    for (size_t i = 0; i < found.size(); ++i) largest_[i] = std::max(largest_[i], found[i].largest_gradient);
    const double of_model = std::ranges::max(largest_);
    const double least_scale = result_.tolerance.least_scale() * of_model, small = result_.tolerance.small * of_model;
    const std::vector<std::string>& names = first_.weights().names();
    std::vector<Drift> gradients, parameters;
    for (size_t i = 0; i < found.size(); ++i) {
      const Distance& d = found[i];
      gradients.push_back({.kind = Drift::Kind::kGradient,
                           .tensor = names[i],
                           .step = step.step,
                           .apart = relative_to(std::max(largest_[i], least_scale), d.gradient),
                           .allowed = result_.tolerance.gradient});
      if (largest_[i] < small) small_.insert(names[i]);  // forever: effects of noise on a parameter stay
      parameters.push_back({.kind = Drift::Kind::kParameter,
                            .tensor = names[i],
                            .step = step.step,
                            .apart = small_.contains(names[i]) ? 0 : relative_to(path_, d.parameter),
                            .allowed = result_.tolerance.parameter});
    }
    step.has_tensors = true;
    step.gradient = std::ranges::max(gradients, {}, &Drift::apart).apart;
    step.parameter = std::ranges::max(parameters, {}, &Drift::apart).apart;
    note(gradients, result_.gradients);
    note(parameters, result_.parameters);
  }

  // Adds drifts. Called with the gradients of a step, then with the parameters.
  void note(const std::vector<Drift>& found, std::vector<Drift>& largest) {
    largest.resize(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      keep_largest(largest[i], found[i]);
      if (!found[i].passed()) beyond_.push_back(found[i]);
    }
  }

  const RunComparisonOptions& options_;
  train::TrainingState first_, second_;
  RunComparison result_;
  // Largest gradient so far of each parameter. If later gradients cancel it in the mean, its rounding stays there.
  std::vector<double> largest_;
  std::vector<Drift> beyond_;    // all drifts, as later steps may still add their parameter to small_
  std::set<std::string> small_;  // parameters whose gradients have been small after some step
  double path_ = 0;              // sum of learning rates so far: about the largest change that Adam can make
};

}  // namespace

std::string_view name_of(Drift::Kind kind) { return kind == Drift::Kind::kGradient ? "gradient" : "parameter"; }

bool ComparedStep::passed(const DriftTolerance& tolerance) const {
  return loss_apart() <= tolerance.loss && grad_norm_apart() <= tolerance.grad_norm && tensors_beyond == 0;
}

double RunComparison::max_loss_apart() const {
  double largest = 0;
  for (const ComparedStep& step : steps) largest = std::max(largest, step.loss_apart());
  return largest;
}

double RunComparison::mean_loss_apart() const {
  double sum = 0;
  for (const ComparedStep& step : steps) sum += step.loss_apart();
  return sum / static_cast<double>(steps.size());
}

bool RunComparison::passed() const {
  return !not_finite && std::ranges::all_of(steps, [this](const ComparedStep& step) { return step.passed(tolerance); });
}

RunComparison compare_runs(const Task& task, const Run& first, const Run& second, const data::Dataset& batches,
                           const RunComparisonOptions& options) {
  return Comparer(task, first, second, options).run(batches);
}

}  // namespace portatune::parity
