#include "portatune/train/program/programs.h"

#include <utility>

#include "portatune/nn/program_parameters.h"
#include "portatune/train/program/program_checks.h"
#include "portatune/train/program/progress.h"
#include "portatune/train/program/shared_update.h"
#include "portatune/train/program/step_update.h"

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

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

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

}  // namespace

StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options) {
  require_parts(batch, options.mesh, options.gradient_accumulation_steps);
  const ProgressValues progress = progress_parameters();
  const StepInputs in(batch, progress.loss_scale, updates_before(progress), options);
  const DevicePass pass = device_pass(task, in, options);
  const Sums sums = sum_over_devices(pass.sums, updates_of(pass.trainable, options.mesh), options.mesh);
  SumInputs inputs{.arrays = {}, .random_key = in.random_key, .dropouts = pass.dropouts};
  for (size_t i = 0; i < batch.size(); ++i) inputs.arrays.emplace_back(batch[i].first, in.batch.values[i]);
  return step_with(sums, inputs, pass.parameters, progress, options);
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
