#include "portatune/train/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/ops.h"
#include "portatune/train/batch_arrays.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/finite.h"
#include "portatune/train/options.h"
#include "portatune/train/program/given_gradients.h"
#include "portatune/train/program/step_update.h"
#include "portatune/train/schedule.h"

namespace portatune::train {
namespace {

std::string shape_of(const Signature& signature) { return to_string(signature.front().second.shape); }

// The learning rates of a step and the weight decays, as its input.
Tensor input_of(std::vector<float> learning_rates, const StepRates& rates, const TrainingOptions& options) {
  for (const double decay : rates.decays(options)) learning_rates.push_back(static_cast<float>(decay));
  return Tensor(rates.type().shape, std::span<const float>(learning_rates));
}

// The input of a step with the learning rates of the schedule.
Tensor rates_at(const ScheduleMoment& moment, const StepRates& rates, const TrainingOptions& options) {
  std::vector<float> values;
  for (const double peak : rates.peaks(options.learning_rate)) {
    values.push_back(static_cast<float>(scheduled(peak, options, moment)));
  }
  return input_of(std::move(values), rates, options);
}

// The same for a step with a learning rate of its own, which scales the rates of groups and layers as a schedule does.
Tensor rates_for(double learning_rate, const StepRates& rates, const TrainingOptions& options) {
  const double factor = options.learning_rate > 0 ? learning_rate / options.learning_rate : 1;
  std::vector<float> values;
  for (const double peak : rates.peaks(options.learning_rate)) {
    const bool is_default = peak == options.learning_rate;
    values.push_back(static_cast<float>(is_default ? learning_rate : peak * factor));
  }
  return input_of(std::move(values), rates, options);
}

// Keys of programs.
std::string key_of_step(const Signature& batch) { return "step " + describe(batch); }
std::string key_of_evaluation(const Signature& batch) { return "evaluation " + describe(batch); }
std::string key_of_gradients(const Signature& batch) { return "gradients " + describe(batch); }
constexpr const char* kUpdateKey = "update";

void append(std::vector<DeviceArray*>& arguments, std::vector<DeviceArray>& more) {
  for (DeviceArray& array : more) arguments.push_back(&array);
}

void require_same(const Position& position, ProcessGroup* processes) {
  std::string text = std::to_string(position.step) + " " + position.data;
  for (const auto& [name, value] : position.run) text += "\n" + name + " " + value;
  const std::optional<int64_t> other = first_with_another(processes, io::hash_of(text));
  if (!other) return;
  throw UsageError({.where = "process " + std::to_string(*other),
                    .given = "options, training files or a checkpoint other than those of process 0",
                    .expected = "the same in all processes"});
}

// Whether a run with a schedule of known length had ended at this position.
bool has_ended(const Position& position) {
  const bool is_at_the_end = position.total_steps > 0 && position.step >= position.total_steps;
  return is_at_the_end || position.evaluations.stopped_early || position.ended_epochs.planned_steps > 0;
}

}  // namespace

double scalar(const DeviceArray& array) { return array.to_host().as<float>()[0]; }

Evaluated StartedEvaluation::finish() {
  Evaluated evaluated{.batch = std::move(batch_), .loss_sum = scalar(results_[0]), .weight_sum = scalar(results_[1])};
  evaluated.outputs = data::Example(evaluated.batch.origin());
  for (size_t i = 0; i < outputs_->size(); ++i) evaluated.outputs.set((*outputs_)[i], results_[2 + i].to_host());
  return evaluated;
}

TrainingState::TrainingState(const Device& device, const Task& task, TrainingOptions options)
    : device_(device),
      task_(task),
      options_(std::move(options)),
      weights_(device, task, options_),
      writer_(weights_, device.processes(), options_.on_non_finite == OnNonFinite::kRewind),
      programs_(device, [this](const std::vector<nn::Parameter>& parameters) { weights_.load(parameters); }) {
  check(options_);
  position_.run = facts_of(options_, device.mesh());
  position_.machine = machine_facts(device);
  require_same(position_, processes());
  position_.progress = first_progress(options_.dtype);
}

void TrainingState::plan_step(const Signature& batch, std::vector<ModelProgram>& programs) {
  const std::string key = key_of_step(batch);
  if (programs_.has(key)) return;
  StepProgram plan = step_program(task_, batch, step_options(options_, device_.mesh()));
  steps_.insert_or_assign(key,
                          StepArguments{std::move(plan.layout), std::move(plan.rates), std::move(plan.dropout_rates)});
  programs.push_back(
      {key, "training step for " + shape_of(batch), std::move(plan.function), std::move(plan.parameters)});
}

void TrainingState::plan_evaluation(const Signature& batch, std::vector<ModelProgram>& programs) {
  const std::string key = key_of_evaluation(batch);
  if (programs_.has(key)) return;
  EvaluationProgram plan = evaluation_program(task_, batch, step_options(options_, device_.mesh()));
  outputs_.insert_or_assign(key, std::move(plan.outputs));
  programs.push_back({key, "evaluation of " + shape_of(batch), std::move(plan.function), std::move(plan.parameters)});
}

void TrainingState::load(const data::Example& batch) {
  if (!weights_.empty()) return;
  weights_.load(
      evaluation_program(task_, signature_of(task_, batch), step_options(options_, device_.mesh())).parameters);
}

int64_t TrainingState::compile(const std::vector<Signature>& steps, const std::vector<Signature>& evaluations) {
  std::vector<ModelProgram> programs;
  for (const Signature& batch : steps) plan_step(batch, programs);
  for (const Signature& batch : evaluations) plan_evaluation(batch, programs);
  programs_.compile(programs, [this](const std::string& what, double seconds, bool from_cache) {
    if (callback_ != nullptr) callback_->on_compile(what, seconds, from_cache);
  });
  return std::ssize(programs);
}

void TrainingState::set_schedule(int64_t total_steps) {
  if (!depends_on_total_steps(options_)) return;
  const bool resumed_just_now = !resumed_from_.empty() && !weights_.have_optimizer_state();
  if (resumed_just_now) {
    require_fitting_schedule(resumed_from_, has_ended(position_), position_.total_steps, total_steps);
  }
  position_.total_steps = total_steps;
}

StepResult TrainingState::start_step(const data::Example& batch, std::optional<double> learning_rate) {
  const Signature signature = signature_of(task_, batch);
  compile({signature}, {});
  return run_step(key_of_step(signature), signature, put_batch(batch, signature, device_), task_.tokens(batch),
                  learning_rate);
}

StepResult TrainingState::apply_gradients(const Gradients& gradients, std::optional<double> learning_rate) {
  const std::vector<nn::Parameter>& parameters = weights_.in_programs();
  std::vector<DeviceArray> inputs = put_gradients(gradients, parameters, device_);
  if (!programs_.has(kUpdateKey)) {
    StepProgram plan = update_program(parameters, step_options(options_, device_.mesh()));
    steps_.insert_or_assign(kUpdateKey, StepArguments{std::move(plan.layout), std::move(plan.rates), {}});
    programs_.compile({{kUpdateKey, "update by gradients", std::move(plan.function), std::move(plan.parameters)}}, {});
  }
  return run_step(kUpdateKey, signature_of_gradients(parameters), std::move(inputs), {}, learning_rate);
}

StepResult TrainingState::run_step(const std::string& key, const Signature& signature, std::vector<DeviceArray> inputs,
                                   TokenCount tokens, std::optional<double> learning_rate) {
  const Program& program = programs_.at(key);
  const auto& [layout, rates, dropout_rates] = steps_.at(key);
  weights_.load_optimizer_state();
  if (progress_.empty()) progress_ = train::put(device_, position_.progress);
  const int64_t step = position_.step + 1;
  const ScheduleMoment moment{
      .step = step, .total_steps = position_.total_steps, .reductions = position_.evaluations.plateau.reductions};

  DeviceArray rates_of_step =
      device_.put(learning_rate ? rates_for(*learning_rate, rates, options_) : rates_at(moment, rates, options_));
  DeviceArray random_key_of_step = device_.put(random_key(options_.seed, step));
  std::vector<DeviceArray*> arguments(layout.arguments());
  weights_.set_arguments(layout, arguments);
  for (const ProgressArray array : {ProgressArray::kCounters, ProgressArray::kLossScale}) {
    arguments[layout.progress(array)] = &progress_[static_cast<size_t>(array)];
  }
  for (size_t i = 0; i < signature.size(); ++i) arguments[layout.batch(signature[i].first)] = &inputs[i];
  arguments[layout.input(StepInput::kRates)] = &rates_of_step;
  if (layout.draws()) arguments[layout.input(StepInput::kRandomKey)] = &random_key_of_step;
  for (size_t i = 0; i < dropout_rates.size(); ++i) {
    arguments[layout.dropout(i)] = &dropout_rule_on_device(dropout_rates[i]);
  }
  std::vector<DeviceArray> results = program.run(arguments);
  for (const auto& [argument, result] : layout.replaced()) *arguments[argument] = std::move(results[result]);
  const auto number = [&](StepNumber of) { return std::move(results[layout.result(of)]); };
  position_.step = step;  // last, because the lines above may throw
  position_.data.clear();
  return StepResult(step, learning_rate.value_or(train::learning_rate(options_, moment)), tokens,
                    {.loss = number(StepNumber::kLoss),
                     .weight = number(StepNumber::kWeight),
                     .grad_norm = number(StepNumber::kGradNorm),
                     .loss_scale = number(StepNumber::kLossScale)});
}

void TrainingState::omit_ended_steps() {
  if (next_batch() == batches_passed()) return;
  position_.ended_epochs.omitted_steps = next_batch() - position_.step;
  position_.data.clear();
}

Progress TrainingState::progress() const { return progress_.empty() ? position_.progress : progress_of(progress_); }

void TrainingState::set_updates(int64_t updates) {
  constexpr int64_t kMaxUpdates = std::numeric_limits<int32_t>::max();  // the device counts in 32 bits
  if (updates < 0 || updates > kMaxUpdates) {
    throw UsageError({.where = "updates",
                      .given = std::to_string(updates),
                      .expected = "a number of at least 0 and at most " + std::to_string(kMaxUpdates)});
  }
  position_.progress = progress();
  position_.progress.updates = updates;
  progress_.clear();
}

bool TrainingState::has_averages() const { return options_.ema > 0 && progress().updates > 0; }

void TrainingState::restore(const std::filesystem::path& checkpoint) {
  const bool from_start = checkpoint.empty();
  if (!from_start) verify_checkpoint(checkpoint);
  const Progress then = from_start ? first_progress(options_.dtype) : read_position(checkpoint).progress;
  weights_.restore(checkpoint);
  position_.progress = then;
  kept_updates_ = then.updates;
  progress_.clear();
}

void TrainingState::rewind(int64_t step) {
  restore(last_checkpoint_);
  position_.step = step;
  position_.data.clear();
  ++position_.rewinds.all;
  ++position_.rewinds.in_a_row;
}

void TrainingState::restore_before(int64_t step) {
  position_.progress = progress();
  position_.progress.void_steps = 0;
  progress_.clear();
  position_.step = step - 1;
  position_.data.clear();
}

std::string TrainingState::first_not_finite(const data::Example& batch) {
  const Signature signature = signature_of(task_, batch);
  for (const auto& [name, type] : signature) {
    // Decided by all processes together: one may have the images of its local rows alone.
    if (in_any(processes(), !is_finite(batch.tensor(name).view()))) return "\"" + name + "\" of the batch";
  }
  const std::string weight = weights_.first_not_finite();
  if (!weight.empty()) return "the weight " + weight + ", before the step";

  DiagnosisProgram plan = diagnosis_program(task_, signature, step_options(options_, device_.mesh()));
  const std::vector<DeviceArray> results =
      run_gradients(device_.compile(plan.function), batch, signature, plan.dropout_rates);
  if (!std::isfinite(scalar(results[0]))) return "the loss";
  const Tensor squares = results[1].to_host();
  for (size_t i = 0; i < plan.trainable.size(); ++i) {
    if (!std::isfinite(squares.as<float>()[i])) return "the gradient of " + plan.trainable[i];
  }
  return {};
}

DeviceArray& TrainingState::dropout_rule_on_device(double rate) {
  const auto known = dropout_rules_.find(rate);
  if (known != dropout_rules_.end()) return known->second;
  return dropout_rules_.emplace(rate, device_.put(dropout_rule(rate))).first->second;
}

std::vector<DeviceArray> TrainingState::run_gradients(const Program& program, const data::Example& batch,
                                                      const Signature& signature,
                                                      const std::vector<double>& dropout_rates) {
  std::vector<DeviceArray> inputs;
  const Progress before = progress();
  inputs.push_back(device_.put(Tensor({}, {static_cast<float>(before.loss_scale)})));
  inputs.push_back(device_.put(Tensor({}, {static_cast<float>(before.updates)})));
  for (DeviceArray& array : put_batch(batch, signature, device_)) inputs.push_back(std::move(array));
  inputs.push_back(device_.put(random_key(options_.seed, position_.step + 1)));
  std::vector<DeviceArray*> arguments = weights_.arguments();
  append(arguments, inputs);
  for (const double rate : dropout_rates) arguments.push_back(&dropout_rule_on_device(rate));
  return program.run(arguments);
}

Gradients TrainingState::gradients(const data::Example& batch) {
  const Signature signature = signature_of(task_, batch);
  const std::string key = key_of_gradients(signature);
  if (!programs_.has(key)) {
    GradientProgram plan = gradient_program(task_, signature, step_options(options_, device_.mesh()));
    dropout_rates_.insert_or_assign(key, std::move(plan.dropout_rates));
    programs_.compile(
        {{key, "gradients of " + shape_of(signature), std::move(plan.function), std::move(plan.parameters)}}, {});
  }
  const std::vector<DeviceArray> results = run_gradients(programs_.at(key), batch, signature, dropout_rates_.at(key));
  Gradients gradients{.loss = scalar(results[0]), .by_parameter = {}};
  for (size_t i = 0; i < weights_.names().size(); ++i) {
    if (!weights_.is_trained(i)) continue;
    gradients.by_parameter.emplace_back(weights_.names()[i], results[gradients.by_parameter.size() + 1].to_host());
  }
  return gradients;
}

StartedEvaluation TrainingState::start_evaluation(data::Example batch) {
  const Signature signature = signature_of(task_, batch);
  compile({}, {signature});
  const std::string key = key_of_evaluation(signature);
  std::vector<DeviceArray> inputs = put_batch(batch, signature, device_);
  std::vector<DeviceArray*> arguments = weights_.arguments();
  append(arguments, inputs);
  return StartedEvaluation(std::move(batch), programs_.at(key).run(arguments), outputs_.at(key));
}

void TrainingState::require_weights(const std::filesystem::path& folder) const {
  if (!weights_.empty()) return weights_.require_whole();
  throw UsageError({.where = "saving to " + folder.string(),
                    .given = "a trainer without a batch so far",
                    .expected = "a step or an evaluation before saving, which loads the weights"});
}

Checkpoint TrainingState::checkpoint_of_now(const std::filesystem::path& folder) {
  require_weights(folder);
  weights_.load_optimizer_state();  // for a checkpoint before the first step
  Position position = position_;
  position.progress = progress();
  if (position.progress.updates > kept_updates_) position.rewinds.in_a_row = 0;
  if (position.progress.void_steps > 0) {
    position.step -= position.progress.void_steps;
    position.data.clear();
  }
  Checkpoint checkpoint{folder, std::move(position), weights_.named_weights(), weights_.named_slots()};
  if (checkpoint_files_) checkpoint.files = checkpoint_files_();
  return checkpoint;
}

void TrainingState::save(const std::filesystem::path& folder) const {
  require_weights(folder);
  std::optional<RunRecord> record;
  if (position_.step > 0) {
    record = {.steps = position_.step,
              .stopped_early = position_.evaluations.stopped_early,
              .planned_steps = std::max(position_.evaluations.planned_steps, position_.ended_epochs.planned_steps),
              .run = position_.run,
              .machine = position_.machine,
              .deviations = position_.deviations,
              .initial_scores = position_.initial_scores};
  }
  writer_.write_model(folder, record);
}

void TrainingState::save_checkpoint(const std::filesystem::path& folder) {
  Checkpoint checkpoint = checkpoint_of_now(folder);
  write(checkpoint);
  set_last_checkpoint(checkpoint);
}

std::optional<Checkpoint> TrainingState::copy_checkpoint(const std::filesystem::path& folder) {
  Checkpoint checkpoint = checkpoint_of_now(folder);
  return writer_.copy(checkpoint) ? std::optional(std::move(checkpoint)) : std::nullopt;
}

void TrainingState::set_last_checkpoint(const Checkpoint& checkpoint) {
  last_checkpoint_ = checkpoint.folder;
  kept_updates_ = checkpoint.position.progress.updates;
  position_.rewinds = checkpoint.position.rewinds;
}

// Replaces the facts of the original run. Only allowed differences are left at this point.
void TrainingState::take_facts_of_this_run(Position& position) const {
  RunFacts saved, now;
  for (const std::string& name : options_.may_differ) {
    if (const auto fact = position.run.find(name); fact != position.run.end()) saved.insert(*fact);
    if (const auto fact = position_.run.find(name); fact != position_.run.end()) now.insert(*fact);
    position.run.erase(name);
  }
  position.run.insert(now.begin(), now.end());
  if (!position.machine.empty()) {
    saved.merge(position.machine);
    now.insert(position_.machine.begin(), position_.machine.end());
  }
  position.machine = position_.machine;
  const std::string differences = describe_differences(saved, now);
  if (differences.empty()) return;
  position.deviations.push_back("after step " + std::to_string(position.step) + ": " + differences);
}

void TrainingState::resume(const std::filesystem::path& folder, hub::ValidCheckpoint* valid_checkpoint) {
  if (weights_.have_optimizer_state()) {
    throw UsageError({.where = "resuming from " + folder.string(),
                      .given = "a trainer after its first step",
                      .expected = "resume() before the first step"});
  }
  verify_checkpoint(folder, valid_checkpoint);
  Position position = read_position(folder);
  require_same_run(folder, position.run, position_.run, options_.may_differ);
  if (!options_.allow_different_bits) require_same_machine(folder, position.machine, position_.machine);
  take_facts_of_this_run(position);
  if (depends_on_total_steps(options_) && options_.total_steps > 0) {
    require_fitting_schedule(folder, has_ended(position), position.total_steps, options_.total_steps);
  }
  require_same(position, processes());
  position_ = std::move(position);
  resumed_from_ = last_checkpoint_ = folder;
  kept_updates_ = position_.progress.updates;
  weights_.resume_from(folder);
}

}  // namespace portatune::train
