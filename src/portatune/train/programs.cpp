#include "portatune/train/programs.h"

#include <cmath>
#include <map>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/packing.h"
#include "portatune/train/progress.h"
#include "portatune/train/shared_update.h"

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

// Parameters in their storage dtype and sharding.
Values inputs_of(const std::deque<nn::Parameter>& parameters) {
  Values values;
  for (const nn::Parameter& parameter : parameters) values.push_back(parameter.input);
  return values;
}

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

std::vector<SharedUpdate> updates_of(const std::deque<nn::Parameter>& parameters, const Mesh& mesh) {
  std::vector<SharedUpdate> updates;
  for (const nn::Parameter& parameter : parameters) updates.emplace_back(parameter, mesh);
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

AdamWOptions adam_for(const Value& parameter, const StepOptions& options) {
  AdamWOptions adam = options.adam;
  if (parameter.rank() < 2 && !options.decay_vectors) adam.weight_decay = 0;
  return adam;
}

// parts  number of parts into which the rows of a batch are divided
void require_parts(const Signature& batch, int64_t parts, const std::string& where) {
  for (const auto& [name, type] : batch) {
    const int64_t packed_in = type.shape.rank() == 3 ? type.shape[0] : 1;
    if (name == data::kTokenPlaces && packed_in != parts) {
      throw UsageError({.where = where,
                        .given = "a packed batch of " + counted(packed_in, "part"),
                        .expected = counted(parts, "part") + ": one for each micro-batch of each device",
                        .fix = "set PackedShapes::parts"});
    }
    if (parts == 1 || (type.shape.rank() > 0 && type.shape[0] % parts == 0)) continue;
    throw UsageError(
        {.where = where,
         .given = "a batch with " + name + " " + to_string(type),
         .expected = "a number of rows that is a multiple of " + std::to_string(parts) + ": devices x micro-batches",
         .fix = "make batches of a multiple of " + std::to_string(parts) + " rows, and pad the last"});
  }
}

void require_parts(const Signature& batch, const Mesh& mesh, int64_t micro_batches) {
  const int64_t devices = mesh.size(kBatchAxes);
  std::string where = "mesh " + to_string(mesh);
  if (micro_batches > 1) where += ", gradient_accumulation_steps " + std::to_string(micro_batches);
  require_parts(batch, devices * micro_batches, where);
}

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
  const auto places = batch.find(data::kTokenPlaces);
  if (places == batch.end() || places->second.rank() == 2) return batch;
  const Shape& shape = places->second.shape();
  places->second = reshape(places->second, {shape[1], shape[2]});
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
Sums sums_of(const Task& task, nn::Context& context, const Columns& batch, const Value& loss_scale) {
  const Forward forward = task.forward(nn::Scope(context), batch);
  const auto gradients_of = [&](const Value& loss) {
    const int64_t times = context.options().mesh.tensor;
    const Value counted_once = times == 1 ? loss : loss / static_cast<double>(times);
    return gradients(counted_once, inputs_of(context.parameters()));
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

  StepInputs(const Signature& signature, const Value& loss_scale, const StepOptions& options)
      : batch(batch_parameters(signature, options.mesh)),
        loss_scale(loss_scale),
        random_key(parameter("random_key", {DType::kUInt32, {2}})),
        micro_batch(options.gradient_accumulation_steps == 1 ? full({DType::kInt32, {}}, 0)
                                                             : parameter("micro_batch", {DType::kInt32, {}})) {}
};

nn::ContextOptions context_options(const Task& task, const StepInputs& in, const StepOptions& options) {
  return {.compute_dtype = options.compute_dtype,
          .training = options.dropout,
          .initializer_range = task.initializer_range(),
          .random_key = key_of(in.random_key, in.micro_batch, options),
          .remat = options.remat,
          .mesh = options.mesh};
}

// Sums over all micro-batches of a device.
Sums sums_of_device(const Task& task, nn::Context& context, const StepInputs& in, const StepOptions& options) {
  const int64_t count = options.gradient_accumulation_steps;
  const Columns rows = without_parts(micro_batch(in.batch.columns, in.micro_batch, count));
  const Sums of_micro_batch = sums_of(task, context, rows, in.loss_scale);
  return count == 1 ? of_micro_batch : accumulate(of_micro_batch, in.micro_batch, count);
}

// A batch may have nothing to learn from: masked language modelling may choose no token. Then its loss is 0 instead of
// 0 / 0, and its gradients stay 0.
Value divisor_of(const Sums& sums) { return maximum(sums.weight, full(sums.weight.type(), 1e-30)); }

// 1 / (1 - beta^t), exact to the last digits even if beta^t is nearly 1.
Value bias_correction(double beta, const Value& t) { return -1.0 / expm1(t * std::log(beta)); }

}  // namespace

StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options) {
  require_parts(batch, options.mesh, options.gradient_accumulation_steps);
  const ProgressValues progress = progress_parameters();
  const StepInputs in(batch, progress.loss_scale, options);
  const Value learning_rate = parameter("learning_rate", {DType::kFloat32, {}});

  nn::Context context(context_options(task, in, options));
  const Sums of_device = sums_of_device(task, context, in, options);
  const std::vector<SharedUpdate> updates = updates_of(context.parameters(), options.mesh);
  const Sums sums = sum_over_devices(of_device, updates, options.mesh);
  const Value weight = divisor_of(sums), loss = sums.loss / weight;
  const Values weights = inputs_of(context.parameters());
  const Value norm = global_norm(sums.gradients, updates, options.mesh) / weight;
  const Verdict verdict = judge(progress, loss, norm, options.compute_dtype, options.on_non_finite);

  // The update divides the gradients by the weight, as it scales them anyway.
  const Value factor = clipping_factor(norm, options.max_grad_norm) / weight;
  Values parts_of_hyper;
  for (const Value& x : {learning_rate, bias_correction(options.adam.beta1, verdict.updates),
                         bias_correction(options.adam.beta2, verdict.updates), factor, verdict.makes_update}) {
    parts_of_hyper.push_back(reshape(x, {1}));
  }
  const Value hyper = concatenate(parts_of_hyper, 0);

  const Value place = place_of_device(options.mesh, {MeshAxis::kData});
  Values m, v, new_weights, new_m, new_v;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Value part = updates[i].part(weights[i], place);
    m.push_back(parameter("m", part.type()));
    v.push_back(parameter("v", part.type()));
    const AdamWState state = adamw({part, m[i], v[i]}, sums.gradients[i], hyper, adam_for(part, options));
    new_weights.push_back(updates[i].held(state.parameter));
    new_m.push_back(state.m);
    new_v.push_back(state.v);
  }

  StepProgram program;
  Function& f = program.function;
  for (const Values& part : {weights, m, v, Values{progress.counters, progress.loss_scale}, in.batch.values,
                             Values{learning_rate, in.random_key}}) {
    append(f.parameters, part);
  }
  const ProgressValues& next = verdict.next;
  for (const Values& part : {new_weights, new_m, new_v, Values{next.counters, next.loss_scale}}) {
    append(f.results, part);
  }
  for (size_t i = 0; i < f.results.size(); ++i) f.aliases.emplace_back(i, i);
  const Value no_loss = full(loss.type(), std::nan(""));
  append(f.results, {select(verdict.ended, no_loss, loss), sums.weight, norm, progress.loss_scale});
  f.mesh = options.mesh;
  f.result_shardings.resize(f.results.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    f.result_shardings[i] = context.parameters()[i].sharding;
    for (const size_t moments : {1, 2}) f.result_shardings[moments * weights.size() + i] = updates[i].sharding();
  }
  program.parameters.assign(context.parameters().begin(), context.parameters().end());
  return program;
}

DiagnosisProgram diagnosis_program(const Task& task, const Signature& batch, const StepOptions& options) {
  require_parts(batch, options.mesh, options.gradient_accumulation_steps);
  const Value loss_scale = parameter("loss_scale", {DType::kFloat32, {}});
  const StepInputs in(batch, loss_scale, options);
  nn::Context context(context_options(task, in, options));
  const Sums of_device = sums_of_device(task, context, in, options);
  const std::vector<SharedUpdate> updates = updates_of(context.parameters(), options.mesh);
  const Sums sums = sum_over_devices(of_device, updates, options.mesh);
  Values squares;
  for (size_t i = 0; i < sums.gradients.size(); ++i) {
    const Value of_part = sum_of_squares(sums.gradients[i]);
    squares.push_back(reshape(all_reduce(of_part, options.mesh, updates[i].sharding().over), {1}));
  }

  DiagnosisProgram program;
  Function& f = program.function;
  f.mesh = options.mesh;
  for (const Values& part :
       {inputs_of(context.parameters()), Values{loss_scale}, in.batch.values, Values{in.random_key}}) {
    append(f.parameters, part);
  }
  f.results = {sums.loss / divisor_of(sums), concatenate(squares, 0)};
  f.result_shardings.resize(f.results.size());
  program.parameters.assign(context.parameters().begin(), context.parameters().end());
  return program;
}

EvaluationProgram evaluation_program(const Task& task, const Signature& batch, DType compute_dtype, const Mesh& mesh) {
  require_parts(batch, mesh, 1);
  const BatchParameters in = batch_parameters(batch, mesh);
  nn::Context context({.compute_dtype = compute_dtype, .initializer_range = task.initializer_range(), .mesh = mesh});
  const Forward forward = task.forward(nn::Scope(context), in.columns);

  EvaluationProgram program;
  Function& f = program.function;
  f.mesh = mesh;
  f.parameters = inputs_of(context.parameters());
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
  program.parameters.assign(context.parameters().begin(), context.parameters().end());
  return program;
}

}  // namespace portatune::train
