#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "portune/error.h"
#include "portune/io/atomic_directory.h"
#include "portune/train.h"
#include "portune/train/checkpoint.h"
#include "portune/train/finite.h"
#include "portune/train/options.h"
#include "portune/train/programs.h"
#include "portune/train/run_facts.h"
#include "portune/train/schedule.h"

namespace portune {
namespace {

using train::Signature;

// The arrays that the task needs, in its order.
Signature signature_of(const Task& task, const data::Example& batch) {
  Signature signature;
  for (const std::string& name : task.inputs()) signature.emplace_back(name, batch.tensor(name).type());
  return signature;
}

std::string describe(const Signature& signature) {
  std::string text;
  for (const auto& [name, type] : signature) text += (text.empty() ? "" : ", ") + name + " " + to_string(type);
  return text;
}

float scalar(const DeviceArray& array) { return array.to_host().as<float>()[0]; }

int64_t count(const data::Dataset& batches) { return batches.iterate().skip(std::numeric_limits<int64_t>::max()); }

DataError no_example(const std::string& where) {
  return DataError({.where = where, .given = "no example", .expected = "at least one"});
}

void require_finite(const StepResult& result, const std::string& rows) {
  if (std::isfinite(result.loss()) && std::isfinite(result.grad_norm())) return;
  throw NumericError({.where = "step " + std::to_string(result.step()),
                      .given = "loss " + std::to_string(result.loss()) + " and gradient norm " +
                               std::to_string(result.grad_norm()) + " in the batch that begins at " + rows,
                      .expected = "finite numbers",
                      .fix = "lower the learning rate, add warm-up steps, or look at these rows"});
}

// Whom to tell about compilations, until the end of fit() or an error in it.
class CallbackWhileFitting {
 public:
  CallbackWhileFitting(Callback*& place, Callback& callback) : place_(place) { place_ = &callback; }
  ~CallbackWhileFitting() { place_ = nullptr; }
  CallbackWhileFitting(const CallbackWhileFitting&) = delete;
  CallbackWhileFitting& operator=(const CallbackWhileFitting&) = delete;

 private:
  Callback*& place_;
};

}  // namespace

StepResult::StepResult(int64_t step, double learning_rate, TokenCount tokens, DeviceArray loss, DeviceArray grad_norm)
    : step_(step),
      learning_rate_(learning_rate),
      tokens_(tokens),
      loss_(std::move(loss)),
      grad_norm_(std::move(grad_norm)) {}

double StepResult::loss() const { return scalar(loss_); }
double StepResult::grad_norm() const { return scalar(grad_norm_); }

struct Trainer::Impl {
  struct Evaluation {
    Program program;
    std::vector<std::string> outputs;
  };

  const Device& device;
  const Task& task;
  TrainingOptions options;
  std::filesystem::path resume_from;
  Callback* callback = nullptr;

  std::vector<std::string> names;  // of the parameters
  std::vector<DeviceArray> weights, m, v;
  LoadReport load_report;
  int64_t steps = 0;
  int64_t total_steps = 0;  // of the schedule; 0: not known yet, or it does not matter
  // By the shapes of the batches, of which there are few.
  std::map<std::string, Program> step_programs;
  std::map<std::string, Evaluation> evaluation_programs;

  template <class Plan>
  Program compile(const Plan& plan, const std::string& what) {
    initialise(plan.parameters);  // first, because a checkpoint that does not fit is told at once
    Program program = device.compile(plan.function);
    if (callback != nullptr) callback->on_compile(what, program.compile_seconds(), program.from_cache());
    return program;
  }

  const Program& step_program(const Signature& batch) {
    const std::string key = describe(batch);
    auto found = step_programs.find(key);
    if (found == step_programs.end()) {
      const train::StepOptions step_options{.compute_dtype = options.dtype,
                                            .adam = {.beta1 = options.adam_beta1,
                                                     .beta2 = options.adam_beta2,
                                                     .eps = options.adam_epsilon,
                                                     .weight_decay = options.weight_decay},
                                            .max_grad_norm = options.max_grad_norm};
      const train::StepProgram plan = train::step_program(task, batch, step_options);
      found =
          step_programs.emplace(key, compile(plan, "training step for " + to_string(batch.front().second.shape))).first;
    }
    return found->second;
  }

  const Evaluation& evaluation_program(const Signature& batch) {
    const std::string key = describe(batch);
    auto found = evaluation_programs.find(key);
    if (found == evaluation_programs.end()) {
      train::EvaluationProgram plan = train::evaluation_program(task, batch, options.dtype);
      Program program = compile(plan, "evaluation of " + to_string(batch.front().second.shape));
      found = evaluation_programs.emplace(key, Evaluation{std::move(program), std::move(plan.outputs)}).first;
    }
    return found->second;
  }

  // Puts the weights onto the device when the first program tells which there are.
  void initialise(const std::vector<nn::Parameter>& parameters) {
    if (!weights.empty()) return require_same(parameters);
    InitialWeights initial = task.initial_weights(parameters, options.seed);
    load_report = std::move(initial.report);
    for (size_t i = 0; i < parameters.size(); ++i) {
      names.push_back(parameters[i].name);
      weights.push_back(device.put(std::move(initial.values[i])));
    }
  }

  void require_same(const std::vector<nn::Parameter>& parameters) const {
    const bool same = std::ranges::equal(parameters, names, {}, &nn::Parameter::name);
    if (same) return;
    throw UsageError({.where = "Task::forward",
                      .given = "other parameters, or another order of them, than for the first batch",
                      .expected = "the same for batches of every shape, in training and evaluation"});
  }

  // Optimizer state is made by the first step, so that evaluation alone does not pay for it.
  void initialise_moments() {
    if (!m.empty()) return;
    if (!resume_from.empty()) return restore_moments();
    for (const DeviceArray& weight : weights) {
      m.push_back(device.put(Tensor(weight.type())));
      v.push_back(device.put(Tensor(weight.type())));
    }
  }

  void restore_moments() {
    std::vector<TensorType> types;
    for (const DeviceArray& weight : weights) types.push_back(weight.type());
    train::Moments moments = train::read_moments(resume_from, names, types);
    for (size_t i = 0; i < names.size(); ++i) {
      m.push_back(device.put(std::move(moments.m[i])));
      v.push_back(device.put(std::move(moments.v[i])));
    }
  }

  std::vector<DeviceArray> put(const data::Example& batch, const Signature& signature) const {
    std::vector<DeviceArray> arrays;
    for (const auto& [name, type] : signature) arrays.push_back(device.put(batch.tensor(name).view()));
    return arrays;
  }

  // Whether the steps go on from a checkpoint and none has been made yet.
  bool is_resumed() const { return !resume_from.empty() && m.empty(); }

  // How long the schedule is, where the learning rate depends on that.
  void set_schedule(int64_t total) {
    if (!train::depends_on_total_steps(options)) return;
    if (is_resumed()) train::require_same_schedule(resume_from, total_steps, total);
    total_steps = total;
  }

  StepResult step(const data::Example& batch) {
    const Signature signature = signature_of(task, batch);
    const Program& program = step_program(signature);
    initialise_moments();
    ++steps;
    const double learning_rate = train::learning_rate(options, steps, total_steps);

    std::vector<DeviceArray> inputs = put(batch, signature);
    inputs.push_back(device.put(train::rates(options, steps, learning_rate)));
    inputs.push_back(device.put(train::random_key(options.seed, steps)));
    std::vector<DeviceArray*> arguments;
    for (auto* arrays : {&weights, &m, &v, &inputs}) {
      for (DeviceArray& array : *arrays) arguments.push_back(&array);
    }
    std::vector<DeviceArray> results = program.run(arguments);

    auto result = results.begin();
    for (auto* arrays : {&weights, &m, &v}) {
      for (DeviceArray& array : *arrays) array = std::move(*result++);
    }
    return StepResult(steps, learning_rate, task.tokens(batch), std::move(result[0]), std::move(result[1]));
  }

  struct Evaluated {
    double loss_sum, weight_sum;
    data::Example outputs;
  };
  Evaluated evaluate(const data::Example& batch) {
    const Signature signature = signature_of(task, batch);
    const Evaluation& compiled = evaluation_program(signature);
    std::vector<DeviceArray> inputs = put(batch, signature);
    std::vector<DeviceArray*> arguments;
    for (auto* arrays : {&weights, &inputs}) {
      for (DeviceArray& array : *arrays) arguments.push_back(&array);
    }
    const std::vector<DeviceArray> results = compiled.program.run(arguments);
    Evaluated evaluated{scalar(results[0]), scalar(results[1]), data::Example(batch.origin())};
    for (size_t i = 0; i < compiled.outputs.size(); ++i) {
      evaluated.outputs.set(compiled.outputs[i], results[2 + i].to_host());
    }
    train::require_finite(batch, evaluated.loss_sum, evaluated.outputs, steps > 0);
    return evaluated;
  }

  // Host copies of arrays on the device, under names with this prefix.
  static std::vector<NamedTensorView> views(const std::vector<std::string>& names, const std::string& prefix,
                                            const std::vector<Tensor>& tensors) {
    std::vector<NamedTensorView> result;
    for (size_t i = 0; i < names.size(); ++i) result.push_back({prefix + names[i], tensors[i].view()});
    return result;
  }
  static std::vector<Tensor> to_host(const std::vector<DeviceArray>& arrays) {
    std::vector<Tensor> tensors;
    for (const DeviceArray& array : arrays) tensors.push_back(array.to_host());
    return tensors;
  }

  // folder: where the model is to be in the end, for errors
  void write_model(const std::filesystem::path& staging, const std::filesystem::path& folder) const {
    if (weights.empty()) {
      throw UsageError({.where = "saving to " + folder.string(),
                        .given = "a trainer that has seen no batch",
                        .expected = "a step or an evaluation before, which loads the weights"});
    }
    const std::vector<Tensor> values = to_host(weights);
    const std::vector<NamedTensorView> named = views(names, "", values);
    train::require_finite("saving to " + folder.string(), named);
    task.save(staging, named);
  }
};

Trainer::Trainer(const Device& device, const Task& task, TrainingOptions options)
    : impl_(new Impl{.device = device, .task = task, .options = std::move(options)}) {
  train::check(impl_->options);
}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

const LoadReport& Trainer::load_report() const { return impl_->load_report; }
int64_t Trainer::steps() const { return impl_->steps; }

StepResult Trainer::step(const data::Example& batch) {
  const TrainingOptions& options = impl_->options;
  if (train::depends_on_total_steps(options) && options.total_steps == 0) {
    throw UsageError({.where = "total_steps",
                      .given = std::to_string(options.total_steps),
                      .expected = "the step at which the linear decay ends, where fit() does not work it out"});
  }
  impl_->set_schedule(options.total_steps);
  return impl_->step(batch);
}

Scores Trainer::evaluate(const data::Dataset& batches) {
  const std::unique_ptr<Metrics> metrics = impl_->task.metrics();
  double loss_sum = 0, weight_sum = 0;
  for (const data::Example& batch : batches.iterate()) {
    const Impl::Evaluated evaluated = impl_->evaluate(batch);
    loss_sum += evaluated.loss_sum;
    weight_sum += evaluated.weight_sum;
    metrics->update(batch, evaluated.outputs);
  }
  if (weight_sum == 0) throw no_example("data to evaluate");
  Scores scores{{"loss", loss_sum / weight_sum}};
  for (const auto& score : metrics->result()) scores.push_back(score);
  return scores;
}

void Trainer::predict(const data::Dataset& batches,
                      const std::function<void(const data::Example&, const data::Example&)>& take) {
  for (const data::Example& batch : batches.iterate()) take(batch, impl_->evaluate(batch).outputs);
}

FitResult Trainer::fit(const data::Dataset& batches, const FitOptions& fit) {
  train::check(fit);
  const int64_t steps_per_epoch = fit.steps_per_epoch > 0 ? fit.steps_per_epoch : count(batches);
  if (steps_per_epoch == 0) throw no_example("training data");
  const int64_t last_step = steps_per_epoch * fit.num_train_epochs;
  if (impl_->steps >= last_step) {
    throw UsageError(
        {.where = "fit",
         .given = std::to_string(impl_->steps) + " steps made before and " + std::to_string(last_step) + " in all",
         .expected = "steps that are still to be made",
         .fix = "ask for more epochs or steps"});
  }
  impl_->set_schedule(impl_->options.total_steps > 0 ? impl_->options.total_steps : last_step);
  Callback none;
  Callback& callback = fit.callback != nullptr ? *fit.callback : none;
  const CallbackWhileFitting told(impl_->callback, callback);

  FitResult result;
  double loss_sum = 0;
  int64_t losses = 0;  // fewer than the steps of the epoch after a resumption within it
  // The step that runs while the next batch is prepared; its numbers are read once that one has been started.
  std::optional<StepResult> running;
  std::string running_rows;
  const auto finish_running = [&] {
    if (!running) return;
    require_finite(*running, running_rows);
    loss_sum += running->loss();
    ++losses;
    callback.on_step(*running, last_step);
    running.reset();
  };

  data::Cursor cursor = batches.repeat().skip(impl_->steps).iterate();
  while (impl_->steps < last_step && !result.stopped) {
    std::optional<data::Example> batch = cursor.next();
    if (!batch) throw no_example("training data");
    StepResult started = impl_->step(*batch);
    finish_running();
    running = std::move(started);
    running_rows = to_string(batch->origin());
    result.stopped = callback.should_stop();
    const bool epoch_ends = impl_->steps % steps_per_epoch == 0;
    if (epoch_ends || result.stopped) finish_running();
    if (epoch_ends) {
      result.mean_loss = loss_sum / static_cast<double>(losses);
      loss_sum = 0;
      losses = 0;
      if (fit.validation) result.scores = evaluate(*fit.validation);
      callback.on_epoch_end(impl_->steps / steps_per_epoch, result.mean_loss, result.scores);
    }
  }
  result.stopped = result.stopped && impl_->steps < last_step;
  result.steps = impl_->steps;
  return result;
}

void Trainer::save(const std::filesystem::path& folder) const {
  io::AtomicDirectory directory(folder);
  impl_->write_model(directory.staging(), folder);
  directory.commit();
}

void Trainer::save_checkpoint(const std::filesystem::path& folder) const {
  io::AtomicDirectory directory(folder);
  impl_->write_model(directory.staging(), folder);
  impl_->initialise_moments();  // a checkpoint before the first step has them too
  const std::vector<Tensor> m = Impl::to_host(impl_->m), v = Impl::to_host(impl_->v);
  std::vector<NamedTensorView> moments = Impl::views(impl_->names, "m.", m);
  for (NamedTensorView& moment : Impl::views(impl_->names, "v.", v)) moments.push_back(std::move(moment));
  train::write_state(directory.staging(), moments,
                     {.step = impl_->steps, .total_steps = impl_->total_steps, .run = train::facts_of(impl_->options)});
  directory.commit();
}

void Trainer::resume(const std::filesystem::path& folder) {
  if (!impl_->m.empty()) {
    throw UsageError({.where = "resuming from " + folder.string(),
                      .given = "a trainer that has made steps",
                      .expected = "resume() before the first step"});
  }
  const train::Position position = train::read_position(folder);
  train::require_same_run(folder, position.run, train::facts_of(impl_->options));
  impl_->steps = position.step;
  impl_->total_steps = position.total_steps;
  impl_->resume_from = folder;
}

}  // namespace portune
