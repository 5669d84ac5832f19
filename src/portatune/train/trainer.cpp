#include <algorithm>
#include <cmath>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/evaluation/row_order.h"
#include "portatune/train/loop/fit.h"
#include "portatune/train/schedule.h"
#include "portatune/train/state.h"

namespace portatune {
StepResult::StepResult(int64_t step, double learning_rate, TokenCount tokens, Numbers numbers)
    : step_(step), learning_rate_(learning_rate), tokens_(tokens), numbers_(std::move(numbers)) {}

double StepResult::loss() const { return train::scalar(numbers_.loss); }
double StepResult::weight() const { return train::scalar(numbers_.weight); }
double StepResult::grad_norm() const { return train::scalar(numbers_.grad_norm); }
double StepResult::loss_scale() const { return train::scalar(numbers_.loss_scale); }
bool StepResult::skipped() const { return !std::isfinite(loss()) || !std::isfinite(grad_norm()); }

namespace {

// In errors.
constexpr const char* kPrediction = "prediction";
constexpr const char* kBatchBefore = "a batch before, which loads the weights";

using NamedTypes = std::vector<std::pair<std::string, TensorType>>;

// The index of an array.
// what  kind of the arrays, for the error
size_t index_of(const NamedTypes& arrays, const std::string& name, const char* what) {
  const auto found = std::ranges::find(arrays, name, &NamedTypes::value_type::first);
  if (found != arrays.end()) return static_cast<size_t>(found - arrays.begin());
  throw UsageError({.where = what,
                    .given = "\"" + name + "\"",
                    .expected = arrays.empty() ? kBatchBefore : "a name such as \"" + arrays.front().first + "\""});
}

// The index of an array that `value` may replace.
size_t index_to_set(const NamedTypes& arrays, const std::string& name, const Tensor& value, const char* what) {
  const size_t index = index_of(arrays, name, what);
  if (value.type() == arrays[index].second) return index;
  throw ShapeError({.where = name, .given = to_string(value.type()), .expected = to_string(arrays[index].second)});
}

constexpr const char* kWeights = "weights";
constexpr const char* kOptimizerState = "optimizer state";

}  // namespace

struct Trainer::Impl {
  train::TrainingState state;

  // Prepares the next step of a custom loop.
  void begin_step(std::optional<double> learning_rate);
};

Trainer::Trainer(const Device& device, const Task& task, TrainingOptions options)
    : impl_(new Impl{train::TrainingState(device, task, std::move(options))}) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

void Trainer::load(const data::Example& batch) { impl_->state.load(batch); }
std::vector<std::pair<std::string, TensorType>> Trainer::parameters() const {
  return impl_->state.weights().parameters();
}
const LoadReport& Trainer::load_report() const { return impl_->state.load_report(); }
int64_t Trainer::steps() const { return impl_->state.steps(); }
int64_t Trainer::omitted_steps() const { return impl_->state.batches_passed() - impl_->state.steps(); }
int64_t Trainer::next_batch() const { return impl_->state.next_batch(); }
int64_t Trainer::best_step() const { return impl_->state.evaluations().best_step; }
const Scores& Trainer::initial_scores() const { return impl_->state.initial_scores(); }
const std::vector<std::string>& Trainer::deviations() const { return impl_->state.deviations(); }
void Trainer::set_initial_scores(Scores scores) { impl_->state.initial_scores() = std::move(scores); }

void Trainer::Impl::begin_step(std::optional<double> learning_rate) {
  const TrainingOptions& options = state.options();
  if (learning_rate && (!std::isfinite(*learning_rate) || *learning_rate < 0)) {
    throw UsageError({.where = "learning_rate of a step",
                      .given = to_text(*learning_rate),
                      .expected = "a finite number of at least 0"});
  }
  state.omit_ended_steps();
  if (learning_rate) {
    if (options.total_steps > 0) state.set_schedule(options.total_steps);
    return;
  }
  if (train::depends_on_total_steps(options) && options.total_steps == 0) {
    throw UsageError(
        {.where = "total_steps",
         .given = "0",
         .expected = "all steps, by which the schedule computes the learning rate; only fit() counts them itself"});
  }
  train::require_no_plateau(options, "step(), which evaluates nothing");
  state.set_schedule(options.total_steps);
}

StepResult Trainer::step(const data::Example& batch, std::optional<double> learning_rate) {
  impl_->begin_step(learning_rate);
  return impl_->state.start_step(batch, learning_rate);
}

Gradients Trainer::gradients(const data::Example& batch) { return impl_->state.gradients(batch); }

StepResult Trainer::apply_gradients(const Gradients& gradients, std::optional<double> learning_rate) {
  if (parameters().empty()) {
    throw UsageError({.where = "apply_gradients()", .given = "a trainer without weights", .expected = kBatchBefore});
  }
  impl_->begin_step(learning_rate);
  return impl_->state.apply_gradients(gradients, learning_rate);
}

Tensor Trainer::weight(const std::string& name) const {
  return impl_->state.weights().value(index_of(parameters(), name, kWeights));
}
void Trainer::set_weight(const std::string& name, Tensor value) {
  const size_t index = index_to_set(parameters(), name, value, kWeights);
  impl_->state.weights().set_value(index, std::move(value));
}
std::vector<std::pair<std::string, TensorType>> Trainer::optimizer_state() const {
  return impl_->state.weights().slots();
}
Tensor Trainer::optimizer_array(const std::string& name) {
  const size_t index = index_of(optimizer_state(), name, kOptimizerState);
  impl_->state.weights().load_optimizer_state();
  return impl_->state.weights().slot(index);
}
void Trainer::set_optimizer_array(const std::string& name, Tensor value) {
  const size_t index = index_to_set(optimizer_state(), name, value, kOptimizerState);
  impl_->state.weights().load_optimizer_state();
  impl_->state.weights().set_slot(index, std::move(value));
}
int64_t Trainer::updates() const { return impl_->state.progress().updates; }
void Trainer::set_updates(int64_t updates) { impl_->state.set_updates(updates); }

FitResult Trainer::fit(const data::Dataset& batches, const FitOptions& options) {
  return train::fit(impl_->state, batches, options);
}

Scores Trainer::evaluate(const data::Dataset& batches) {
  return *train::evaluate(impl_->state, {.batches = batches}, [] { return false; });
}

void Trainer::predict(const data::Dataset& batches,
                      const std::function<void(const data::Example&, const data::Example&)>& take) {
  train::RowOrder in_order(take);
  train::TrainingState& state = impl_->state;
  const auto take_batch = [&](const train::Evaluated& evaluated) {
    const auto of_all_passes = train::outputs_of_all_passes(state, evaluated, kPrediction);
    const data::Example& outputs = of_all_passes ? *of_all_passes : evaluated.outputs;
    if (evaluated.batch.has(data::kExamplePlace)) {
      in_order.add(evaluated.batch, outputs);
    } else {
      take(evaluated.batch, outputs);
    }
    return true;
  };
  train::evaluate_each(state, batches, take_batch, kPrediction);
  in_order.finish();
}

void require_place_to_save(const std::filesystem::path& folder) { train::require_place_to_save(folder); }

void Trainer::save(const std::filesystem::path& folder) const { impl_->state.save(folder); }
bool Trainer::has_average() const { return impl_->state.has_averages(); }

void Trainer::save_average(const std::filesystem::path& folder) {
  if (!has_average()) {
    throw UsageError({.where = "saving to " + folder.string(),
                      .given = "weights without an average",
                      .expected = "ema above 0, and an update before saving"});
  }
  impl_->state.with_averages([&] { impl_->state.save(folder); });
}
void Trainer::save_checkpoint(const std::filesystem::path& folder) const { impl_->state.save_checkpoint(folder); }
void Trainer::set_checkpoint_files(std::function<std::map<std::string, std::string>()> files) {
  impl_->state.set_checkpoint_files(std::move(files));
}
void Trainer::resume(const std::filesystem::path& folder, hub::ValidCheckpoint* valid_checkpoint) {
  impl_->state.resume(folder, valid_checkpoint);
}

}  // namespace portatune
