#include "portune/train/state.h"

#include <utility>

#include "portune/error.h"
#include "portune/io/atomic_directory.h"
#include "portune/train/options.h"
#include "portune/train/run_facts.h"
#include "portune/train/schedule.h"

namespace portune::train {
namespace {

// The arrays that the task needs, in its order, and those that it reads if they are there.
Signature signature_of(const Task& task, const data::Example& batch) {
  Signature signature;
  for (const std::string& name : task.inputs()) signature.emplace_back(name, batch.tensor(name).type());
  for (const std::string& name : task.optional_inputs()) {
    if (batch.has(name)) signature.emplace_back(name, batch.tensor(name).type());
  }
  return signature;
}

std::string describe(const Signature& signature) {
  std::string text;
  for (const auto& [name, type] : signature) text += (text.empty() ? "" : ", ") + name + " " + to_string(type);
  return text;
}

std::string shape_of(const Signature& signature) { return to_string(signature.front().second.shape); }

StepOptions step_options(const TrainingOptions& options) {
  return {.compute_dtype = options.dtype,
          .adam = {.beta1 = options.adam_beta1,
                   .beta2 = options.adam_beta2,
                   .eps = options.adam_epsilon,
                   .weight_decay = options.weight_decay},
          .max_grad_norm = options.max_grad_norm};
}

void append(std::vector<DeviceArray*>& arguments, std::vector<DeviceArray>& more) {
  for (DeviceArray& array : more) arguments.push_back(&array);
}

double scalar(const DeviceArray& array) { return array.to_host().as<float>()[0]; }

}  // namespace

Evaluated StartedEvaluation::finish() {
  Evaluated evaluated{.batch = std::move(batch_), .loss_sum = scalar(results_[0]), .weight_sum = scalar(results_[1])};
  evaluated.outputs = data::Example(evaluated.batch.origin());
  for (size_t i = 0; i < outputs_->size(); ++i) evaluated.outputs.set((*outputs_)[i], results_[2 + i].to_host());
  return evaluated;
}

TrainingState::TrainingState(const Device& device, const Task& task, TrainingOptions options)
    : device_(device), task_(task), options_(std::move(options)), weights_(device, task, options_.seed) {
  check(options_);
  position_.run = facts_of(options_);
}

template <class Plan>
Program TrainingState::compile(const Plan& plan, const std::string& what) {
  weights_.load(plan.parameters);  // first, because a checkpoint that does not fit is told at once
  Program program = device_.compile(plan.function);
  if (callback_ != nullptr) callback_->on_compile(what, program.compile_seconds(), program.from_cache());
  return program;
}

const Program& TrainingState::program_of_step(const Signature& batch) {
  const std::string key = describe(batch);
  if (const auto found = step_programs_.find(key); found != step_programs_.end()) return found->second;
  const StepProgram plan = step_program(task_, batch, step_options(options_));
  return step_programs_.emplace(key, compile(plan, "training step for " + shape_of(batch))).first->second;
}

const TrainingState::CompiledEvaluation& TrainingState::program_of_evaluation(const Signature& batch) {
  const std::string key = describe(batch);
  if (const auto found = evaluation_programs_.find(key); found != evaluation_programs_.end()) return found->second;
  EvaluationProgram plan = evaluation_program(task_, batch, options_.dtype);
  Program program = compile(plan, "evaluation of " + shape_of(batch));
  return evaluation_programs_.emplace(key, CompiledEvaluation{std::move(program), std::move(plan.outputs)})
      .first->second;
}

std::vector<DeviceArray> TrainingState::put(const data::Example& batch, const Signature& signature) const {
  std::vector<DeviceArray> arrays;
  for (const auto& [name, type] : signature) arrays.push_back(device_.put(batch.tensor(name).view()));
  return arrays;
}

void TrainingState::set_schedule(int64_t total_steps) {
  if (!depends_on_total_steps(options_)) return;
  const bool resumed_just_now = !resumed_from_.empty() && !weights_.have_moments();
  if (resumed_just_now) require_same_schedule(resumed_from_, position_.total_steps, total_steps);
  position_.total_steps = total_steps;
}

StepResult TrainingState::start_step(const data::Example& batch) {
  const Signature signature = signature_of(task_, batch);
  const Program& program = program_of_step(signature);
  weights_.load_moments();
  const int64_t step = ++position_.step;
  const double rate = learning_rate(options_, step, position_.total_steps);

  std::vector<DeviceArray> inputs = put(batch, signature);
  inputs.push_back(device_.put(rates(options_, step, rate)));
  inputs.push_back(device_.put(random_key(options_.seed, step)));
  std::vector<DeviceArray*> arguments = weights_.arguments_of_step();
  append(arguments, inputs);
  std::vector<DeviceArray> rest = weights_.take_results_of_step(program.run(arguments));
  return StepResult(step, rate, task_.tokens(batch), std::move(rest[0]), std::move(rest[1]), std::move(rest[2]));
}

StartedEvaluation TrainingState::start_evaluation(data::Example batch) {
  const Signature signature = signature_of(task_, batch);
  const CompiledEvaluation& compiled = program_of_evaluation(signature);
  std::vector<DeviceArray> inputs = put(batch, signature);
  std::vector<DeviceArray*> arguments = weights_.arguments();
  append(arguments, inputs);
  return StartedEvaluation(std::move(batch), compiled.program.run(arguments), compiled.outputs);
}

void TrainingState::save(const std::filesystem::path& folder) const {
  io::AtomicDirectory directory(folder);
  weights_.save_model(directory.staging(), folder);
  directory.commit();
}

void TrainingState::save_checkpoint(const std::filesystem::path& folder) {
  io::AtomicDirectory directory(folder);
  weights_.save_model(directory.staging(), folder);
  weights_.load_moments();  // a checkpoint before the first step has them too
  weights_.save_moments(directory.staging());
  write_position(directory.staging(), position_);
  directory.commit();
}

void TrainingState::resume(const std::filesystem::path& folder) {
  if (weights_.have_moments()) {
    throw UsageError({.where = "resuming from " + folder.string(),
                      .given = "a trainer that has made steps",
                      .expected = "resume() before the first step"});
  }
  Position position = read_position(folder);
  require_same_run(folder, position.run, position_.run);
  position_ = std::move(position);
  resumed_from_ = folder;
  weights_.resume_from(folder);
}

}  // namespace portune::train
