#include "portatune/train/program/programs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "portatune/nn/program_parameters.h"
#include "portatune/train/program/program_checks.h"
#include "portatune/train/program/progress.h"
#include "portatune/train/program/shared_update.h"

namespace portatune::train {
namespace {

struct BatchParameters {
  Columns columns;
  Values values;
};

BatchParameters batch_parameters(const Signature& batch, const Mesh& mesh) {
  BatchParameters result;
  for (const auto& [name, type] : batch) {
    result.values.push_back(parameter(name, part_of(type, kBatchSharding, mesh)));
    result.columns.emplace(name, result.values.back());
  }
  return result;
}

// Parameters to train: those with a gradient.
std::vector<nn::Parameter> trainable_of(const std::deque<nn::Parameter>& parameters) {
  std::vector<nn::Parameter> trainable;
  std::ranges::copy_if(parameters, std::back_inserter(trainable), &nn::Parameter::trainable);
  return trainable;
}

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

std::vector<SharedUpdate> updates_of(const std::vector<nn::Parameter>& trainable, const Mesh& mesh) {
  std::vector<SharedUpdate> updates;
  for (const nn::Parameter& parameter : trainable) updates.emplace_back(parameter, mesh);
  return updates;
}

// The norm of the sums of all gradients, of which each device has parts.
Value global_norm(const Values& gradients, const std::vector<SharedUpdate>& updates, const Mesh& mesh) {
  const Value zero = full({DType::kFloat32, {}}, 0);
  std::map<MeshAxes, Value> squares;  // by the axes along which the gradients are sharded
  for (size_t i = 0; i < gradients.size(); ++i) {
    Value& sum = squares.try_emplace(updates[i].sharding().over, zero).first->second;
    sum = sum + sum_of_squares(gradients[i]);
  }
  Value total = zero;
  for (const auto& [axes, sum] : squares) total = total + all_reduce(sum, mesh, axes);
  return sqrt(total);
}

// The factor of torch.nn.utils.clip_grad_norm_.
Value clipping_factor(const Value& norm, double max_norm) {
  const Value one = full(norm.type(), 1);
  return max_norm > 0 ? minimum(one, max_norm / (norm + 1e-6)) : one;
}

// The scaling of the gradients, and the clipping of their elements.
class Clipping {
 public:
  // scale      factor of the gradients, after which elements are clipped
  // max_value  maximum of an element's size; 0: none
  Clipping(const Value& scale, double max_value) : scale_(scale), max_value_(max_value) {}

  // The factor that clipped() leaves to the update.
  Value factor() const { return max_value_ > 0 ? full(scale_.type(), 1) : scale_; }
  Value clipped(const Value& gradient) const {
    if (max_value_ == 0) return gradient;
    const auto limit = [&](double value) { return full(gradient.type(), value); };
    return maximum(minimum(gradient * scale_, limit(max_value_)), limit(-max_value_));
  }

 private:
  const Value scale_;
  const double max_value_;
};

// The columns of a micro-batch, slices of a device's columns.
Columns micro_batch(const Columns& batch, const Value& index, int64_t count) {
  if (count == 1) return batch;
  Columns part;
  for (const auto& [name, x] : batch) {
    const int64_t rows = x.shape()[0] / count;
    part.emplace(name, dynamic_slice(x, 0, index * static_cast<double>(rows), rows));
  }
  return part;
}

// The columns in the form that tasks read: token positions of one part, [1, texts, length], become [texts, length].
Columns without_parts(Columns batch) {
  for (auto& [name, places] : batch) {
    if (!name.ends_with(data::kTokenPlaces) || places.rank() == 2) continue;
    const Shape shape = places.shape();
    places = reshape(places, {shape[1], shape[2]});
  }
  return batch;
}

// The random key of a micro-batch: in each half a bijection of its index over all devices, so that all keys differ.
Value key_of(const Value& random_key, const Value& micro_batch, const StepOptions& options) {
  if (options.mesh.size(kBatchAxes) * options.gradient_accumulation_steps == 1) return random_key;
  const Value halves = iota({DType::kUInt32, {2}}, 0), device = place_of_device(options.mesh, kBatchAxes);
  const Value index = device * static_cast<double>(options.gradient_accumulation_steps) + micro_batch;
  return random_bits(halves + convert(index, DType::kUInt32) * 2.0, random_key);
}

// Sums over the examples of a batch.
struct Sums {
  Value loss, weight;
  Values gradients;  // of the summed loss
};

// Factor of the loss before it is differentiated. In float16 this gives the mean loss of a device times the scale and
// keeps gradients in the range of float16 for any number of examples. All devices use the same factor, because the
// backward pass may sum their gradients.
Value loss_factor(const Value& weight_sum, const Value& loss_scale, const Mesh& mesh) {
  const Value of_all = all_reduce(stop_gradient(weight_sum), mesh, kBatchAxes);
  const Value of_device = of_all / static_cast<double>(mesh.size(kBatchAxes));
  return loss_scale / maximum(of_device, full(of_device.type(), 1));
}

// Devices along tensor compute the same loss, and the differentiated value is the sum over all devices.
Sums sums_of(const Forward& forward, const nn::Context& context, const Value& loss_scale) {
  const auto gradients_of = [&](const Value& loss) {
    const int64_t times = context.options().mesh.tensor;
    const Value counted_once = times == 1 ? loss : loss / static_cast<double>(times);
    return gradients(counted_once, nn::inputs_of(trainable_of(context.parameters())));
  };
  if (context.options().compute_dtype != DType::kFloat16) {
    return {forward.loss_sum, forward.weight_sum, gradients_of(forward.loss_sum)};
  }
  const Value factor = loss_factor(forward.weight_sum, loss_scale, context.options().mesh);
  Sums sums{forward.loss_sum, forward.weight_sum, {}};
  for (const Value& gradient : gradients_of(forward.loss_sum * factor)) sums.gradients.push_back(gradient / factor);
  return sums;
}

// Sums over all micro-batches, one after the other.
Sums accumulate(const Sums& micro_batch, const Value& index, int64_t count) {
  Values terms{micro_batch.loss, micro_batch.weight};
  append(terms, micro_batch.gradients);
  const Values sums = loop_sum(terms, index, count);
  return {sums[0], sums[1], Values(sums.begin() + 2, sums.end())};
}

// Sums over all devices; of the gradients, each device gets the parts that it updates.
Sums sum_over_devices(const Sums& of_device, const std::vector<SharedUpdate>& updates, const Mesh& mesh) {
  Sums sums{all_reduce(of_device.loss, mesh, kBatchAxes), all_reduce(of_device.weight, mesh, kBatchAxes), {}};
  for (size_t i = 0; i < updates.size(); ++i) {
    sums.gradients.push_back(updates[i].sum_over_devices(of_device.gradients[i]));
  }
  return sums;
}

// Inputs of loss and gradient besides the weights.
struct StepInputs {
  BatchParameters batch;
  Value loss_scale, random_key, micro_batch;
  Value updates;  // see ContextOptions

  StepInputs(const Signature& signature, const Value& loss_scale, const Value& updates, const StepOptions& options)
      : batch(batch_parameters(signature, options.mesh)),
        loss_scale(loss_scale),
        random_key(parameter("random_key", {DType::kUInt32, {2}})),
        micro_batch(options.gradient_accumulation_steps == 1 ? full({DType::kInt32, {}}, 0)
                                                             : parameter("micro_batch", {DType::kInt32, {}})),
        updates(updates) {}
};

nn::ContextOptions context_options(const Task& task, const StepInputs& in, const StepOptions& options) {
  return {.compute_dtype = options.compute_dtype,
          .training = options.dropout,
          .initializer_range = task.initializer_range(),
          .random_key = key_of(in.random_key, in.micro_batch, options),
          .updates = in.updates,
          .remat = options.remat,
          .mesh = options.mesh,
          .frozen = options.frozen,
          .lora = options.lora,
          .rates_are_inputs = true};
}

// The parameters of a model with this forward pass.
std::vector<nn::Parameter> parameters_of(const nn::Context& context, const Forward& forward) {
  Values results{forward.loss_sum, forward.weight_sum};
  for (const auto& [name, value] : forward.outputs) results.push_back(value);
  return nn::parameters_of(context, results);
}

// The work of a device before its sums are added to those of others.
struct DevicePass {
  std::vector<nn::Parameter> parameters, trainable;
  std::vector<nn::DropoutInput> dropouts;
  Sums sums;  // over all micro-batches
};

std::vector<double> rates_of(const std::vector<nn::DropoutInput>& dropouts) {
  std::vector<double> rates;
  for (const nn::DropoutInput& dropout : dropouts) rates.push_back(dropout.rate);
  return rates;
}

DevicePass device_pass(const Task& task, const StepInputs& in, const StepOptions& options) {
  nn::Context context(context_options(task, in, options));
  const int64_t count = options.gradient_accumulation_steps;
  const Columns rows = without_parts(micro_batch(in.batch.columns, in.micro_batch, count));
  const Forward forward = task.forward(nn::Scope(context), rows);
  const Sums sums = sums_of(forward, context, in.loss_scale);
  DevicePass pass{.parameters = parameters_of(context, forward),
                  .trainable = trainable_of(context.parameters()),
                  .dropouts = context.dropouts(),
                  .sums = count == 1 ? sums : accumulate(sums, in.micro_batch, count)};
  require_trainable_as_asked(context.parameters(), pass.trainable, options);
  return pass;
}

// A batch may have nothing to learn from: masked language modelling may choose no token. Then its loss is 0 instead of
// 0 / 0, and its gradients stay 0.
Value divisor_of(const Sums& sums) { return maximum(sums.weight, full(sums.weight.type(), 1e-30)); }

// A device's part of a weight, and new parameters of the program for its slots.
optim::Update state_of(const Value& part, const optim::Optimizer& optimizer) {
  optim::Update state{.weight = part, .slots = {}};
  for (const optim::Slot& slot : optimizer.slots(part.rank())) {
    state.slots.push_back(parameter(slot.name, {part.type().dtype, slot.shape(part.shape())}));
  }
  return state;
}

// The rules by which a step updates the parameters. Parameters with the same learning rate and optimizer share one.
class UpdateRules {
 public:
  // scalars  those of the step, without the learning rate and the weight decay
  UpdateRules(std::span<const nn::Parameter> parameters, const StepOptions& options, optim::StepScalars scalars)
      : parameters_(parameters),
        options_(options),
        scalars_(std::move(scalars)),
        rates_(parameters, options.groups, options.layer_decay, options.decays),
        input_(parameter("learning_rate", rates_.type())) {}

  const StepRates& rates() const { return rates_; }
  // The input of the step with all learning rates and weight decays.
  const Value& input() const { return input_; }

  const optim::UpdateRule& of(size_t i) {
    const optim::Optimizer& optimizer = optimizer_for(parameters_[i], options_.groups, *options_.optimizer);
    optim::UpdateRule& rule = rules_[{rates_.index(i), &optimizer}];
    if (!rule) {
      scalars_.learning_rate = rates_.learning_rate(i, input_);
      scalars_.weight_decay = rates_.weight_decay(i, input_);
      rule = optimizer.rule(scalars_);
    }
    return rule;
  }

 private:
  const std::span<const nn::Parameter> parameters_;
  const StepOptions& options_;
  optim::StepScalars scalars_;
  const StepRates rates_;
  const Value input_;
  std::map<std::pair<size_t, const optim::Optimizer*>, optim::UpdateRule> rules_;
};

// The function of a step: values at the indices of the layout.
class StepBuilder {
 public:
  explicit StepBuilder(StepLayout layout) : layout_(std::move(layout)) {
    f_.parameters.resize(layout_.arguments());
    f_.results.resize(layout_.results());
    f_.result_shardings.resize(layout_.results());
    f_.aliases = layout_.replaced();
  }

  void set_weight(size_t i, const nn::Parameter& parameter) { f_.parameters[layout_.weight(i)] = parameter.input; }
  void replace_weight(size_t i, const nn::Parameter& parameter, const Value& after) {
    replace(layout_.weight(i), parameter.input, after, parameter.sharding);
  }
  void replace_slots(size_t parameter, const Values& before, const Values& after) {
    for (size_t i = 0; i < layout_.slots().size(); ++i) {
      const SlotArray& slot = layout_.slots()[i];
      if (slot.parameter == parameter) {
        replace(layout_.slot(i), before[slot.slot], after[slot.slot], slot.sharding);
      }
    }
  }
  void replace_progress(const ProgressValues& before, const ProgressValues& after) {
    replace(layout_.progress(ProgressArray::kCounters), before.counters, after.counters);
    replace(layout_.progress(ProgressArray::kLossScale), before.loss_scale, after.loss_scale);
  }
  void set_inputs(const BatchParameters& batch, const Value& rates, const Value& random_key,
                  const std::vector<nn::DropoutInput>& dropouts) {
    for (const auto& [name, value] : batch.columns) f_.parameters[layout_.batch(name)] = value;
    f_.parameters[layout_.input(StepInput::kRates)] = rates;
    f_.parameters[layout_.input(StepInput::kRandomKey)] = random_key;
    for (size_t i = 0; i < dropouts.size(); ++i) f_.parameters[layout_.dropout(i)] = dropouts[i].rule;
  }
  void set_number(StepNumber number, const Value& value) { f_.results[layout_.result(number)] = value; }

  StepProgram program(std::vector<nn::Parameter> parameters, StepRates rates, std::vector<double> dropout_rates,
                      const Mesh& mesh) && {
    f_.mesh = mesh;
    return {.function = std::move(f_),
            .parameters = std::move(parameters),
            .layout = std::move(layout_),
            .rates = std::move(rates),
            .dropout_rates = std::move(dropout_rates)};
  }

 private:
  void replace(size_t argument, const Value& before, const Value& after, const Sharding& sharding = {}) {
    const size_t result = layout_.result_for(argument);
    f_.parameters[argument] = before;
    f_.results[result] = after;
    f_.result_shardings[result] = sharding;
  }

  StepLayout layout_;
  Function f_;
};

}  // namespace

StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options) {
  require_parts(batch, options.mesh, options.gradient_accumulation_steps);
  const ProgressValues progress = progress_parameters();
  const StepInputs in(batch, progress.loss_scale, updates_before(progress), options);

  const DevicePass pass = device_pass(task, in, options);
  const std::vector<nn::Parameter>& parameters = pass.parameters;
  const std::vector<SharedUpdate> updates = updates_of(pass.trainable, options.mesh);
  const Sums sums = sum_over_devices(pass.sums, updates, options.mesh);
  const Value weight = divisor_of(sums), loss = sums.loss / weight;
  const Value norm = global_norm(sums.gradients, updates, options.mesh) / weight;
  const Verdict verdict = judge(progress, loss, norm, options.compute_dtype, options.on_non_finite);

  // The update divides the gradients by the weight, as it scales them anyway.
  const Clipping clipping(clipping_factor(norm, options.max_grad_norm) / weight, options.max_grad_value);
  UpdateRules rules(parameters, options,
                    {.learning_rate = {},
                     .updates = verdict.updates,
                     .factor = clipping.factor(),
                     .makes_update = verdict.makes_update});
  const std::span<const nn::Parameter> arguments = nn::arguments_of(parameters);
  StepBuilder step(
      StepLayout(arguments, slots_of(parameters, *options.optimizer, options.mesh), batch, pass.dropouts.size()));
  const Value place = place_of_device(options.mesh, {MeshAxis::kData});
  for (size_t i = 0, of_trainable = 0; i < arguments.size(); ++i) {
    if (!parameters[i].trainable) {
      step.set_weight(i, parameters[i]);
      continue;
    }
    const SharedUpdate& shared = updates[of_trainable];
    const optim::Update before = state_of(shared.part(parameters[i].input, place), *options.optimizer);
    const Value gradient = clipping.clipped(sums.gradients[of_trainable]);
    const optim::Update after = rules.of(i)(before, gradient, {shared.sharding(), options.mesh});
    step.replace_weight(i, parameters[i], shared.held(after.weight));
    step.replace_slots(i, before.slots, after.slots);
    ++of_trainable;
  }
  step.replace_progress(progress, verdict.next);
  step.set_inputs(in.batch, rules.input(), in.random_key, pass.dropouts);
  const Value no_loss = full(loss.type(), std::nan(""));
  step.set_number(StepNumber::kLoss, select(verdict.ended, no_loss, loss));
  step.set_number(StepNumber::kWeight, sums.weight);
  step.set_number(StepNumber::kGradNorm, norm);
  step.set_number(StepNumber::kLossScale, progress.loss_scale);
  return std::move(step).program(parameters, rules.rates(), rates_of(pass.dropouts), options.mesh);
}

namespace {

// Loss and gradients of a step, summed over the devices, without an update.
struct StepGradients {
  Function function = {};  // without results; the order of its parameters is that of diagnosis_program()
  std::vector<nn::Parameter> parameters, trainable;
  std::vector<double> dropout_rates;
  std::vector<SharedUpdate> updates = {};  // of the trainable ones
  Sums sums = {};
};

StepGradients gradients_of_step(const Task& task, const Signature& batch, const StepOptions& options) {
  require_parts(batch, options.mesh, options.gradient_accumulation_steps);
  const Value loss_scale = parameter("loss_scale", {DType::kFloat32, {}});
  const StepInputs in(batch, loss_scale, parameter("updates", {DType::kFloat32, {}}), options);
  DevicePass pass = device_pass(task, in, options);
  StepGradients result{.parameters = std::move(pass.parameters),
                       .trainable = std::move(pass.trainable),
                       .dropout_rates = rates_of(pass.dropouts)};
  result.updates = updates_of(result.trainable, options.mesh);
  result.sums = sum_over_devices(pass.sums, result.updates, options.mesh);
  result.function.mesh = options.mesh;
  for (const Values& part : {nn::inputs_of(nn::arguments_of(result.parameters)), Values{loss_scale, in.updates},
                             in.batch.values, Values{in.random_key}}) {
    append(result.function.parameters, part);
  }
  for (const nn::DropoutInput& dropout : pass.dropouts) result.function.parameters.push_back(dropout.rule);
  return result;
}

}  // namespace

DiagnosisProgram diagnosis_program(const Task& task, const Signature& batch, const StepOptions& options) {
  StepGradients step = gradients_of_step(task, batch, options);
  Values squares;
  for (size_t i = 0; i < step.updates.size(); ++i) {
    const Value of_part = sum_of_squares(step.sums.gradients[i]);
    squares.push_back(reshape(all_reduce(of_part, options.mesh, step.updates[i].sharding().over), {1}));
  }
  DiagnosisProgram program{
      .function = std::move(step.function), .trainable = {}, .dropout_rates = std::move(step.dropout_rates)};
  program.function.results = {step.sums.loss / divisor_of(step.sums), concatenate(squares, 0)};
  program.function.result_shardings.resize(program.function.results.size());
  for (const nn::Parameter& parameter : step.trainable) program.trainable.push_back(parameter.name);
  return program;
}

GradientProgram gradient_program(const Task& task, const Signature& batch, const StepOptions& options) {
  StepGradients step = gradients_of_step(task, batch, options);
  GradientProgram program{.function = std::move(step.function),
                          .parameters = std::move(step.parameters),
                          .dropout_rates = std::move(step.dropout_rates)};
  Function& f = program.function;
  const Value weight = divisor_of(step.sums);
  f.results = {step.sums.loss / weight};
  f.result_shardings.resize(1);
  for (size_t i = 0; i < step.updates.size(); ++i) {
    f.results.push_back(step.sums.gradients[i] / weight);
    f.result_shardings.push_back(step.updates[i].sharding());
  }
  return program;
}

EvaluationProgram evaluation_program(const Task& task, const Signature& batch, const StepOptions& options) {
  const Mesh& mesh = options.mesh;
  require_parts(batch, mesh, 1);
  const BatchParameters in = batch_parameters(batch, mesh);
  nn::Context context({.compute_dtype = options.compute_dtype,
                       .initializer_range = task.initializer_range(),
                       .mesh = mesh,
                       .frozen = options.frozen,
                       .lora = options.lora});
  const Forward forward = task.forward(nn::Scope(context), in.columns);

  EvaluationProgram program;
  Function& f = program.function;
  f.mesh = mesh;
  program.parameters = parameters_of(context, forward);
  f.parameters = nn::inputs_of(nn::arguments_of(program.parameters));
  append(f.parameters, in.values);
  for (const Value& sum : {forward.loss_sum, forward.weight_sum}) {
    f.results.push_back(all_reduce(sum, mesh, kBatchAxes));
    f.result_shardings.emplace_back();
  }
  for (const auto& [name, value] : forward.outputs) {
    program.outputs.push_back(name);
    f.results.push_back(value);
    f.result_shardings.push_back(kBatchSharding);
  }
  return program;
}

}  // namespace portatune::train
