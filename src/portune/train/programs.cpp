#include "portune/train/programs.h"

#include "portune/error.h"
#include "portune/packing.h"

namespace portune::train {
namespace {

struct BatchParameters {
  Columns columns;
  Values values;
};

BatchParameters batch_parameters(const Signature& batch) {
  BatchParameters result;
  for (const auto& [name, type] : batch) {
    result.values.push_back(parameter(name, type));
    result.columns.emplace(name, result.values.back());
  }
  return result;
}

Values values_of(const std::deque<nn::Parameter>& parameters) {
  Values values;
  for (const nn::Parameter& parameter : parameters) values.push_back(parameter.value);
  return values;
}

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

Value global_norm(const Values& gradients) {
  Value squares = full({DType::kFloat32, {}}, 0);
  for (const Value& gradient : gradients) squares = squares + sum_of_squares(gradient);
  return sqrt(squares);
}

// As torch.nn.utils.clip_grad_norm_ has it.
Value clipping_factor(const Value& norm, double max_norm) {
  const Value one = full(norm.type(), 1);
  return max_norm > 0 ? minimum(one, max_norm / (norm + 1e-6)) : one;
}

AdamWOptions adam_for(const Value& parameter, const StepOptions& options) {
  AdamWOptions adam = options.adam;
  if (parameter.rank() < 2 && !options.decay_vectors) adam.weight_decay = 0;
  return adam;
}

void require_micro_batches(const Signature& batch, int64_t count) {
  constexpr const char* kWhere = "gradient_accumulation_steps";
  if (count == 1) return;
  for (const auto& [name, type] : batch) {
    if (name == data::kTokenPlaces) {
      throw UsageError({.where = kWhere,
                        .given = std::to_string(count) + ", and packed batches",
                        .expected = "1 with packed batches, whose examples are not rows",
                        .fix = "train without packing, or with packing and larger batches"});
    }
    if (type.shape.rank() > 0 && type.shape[0] % count == 0) continue;
    throw UsageError({.where = kWhere,
                      .given = std::to_string(count) + ", and a batch with " + name + " " + to_string(type),
                      .expected = "a batch that can be divided into so many micro-batches of equally many rows",
                      .fix = "make batches of a multiple of as many rows, and fill up the last"});
  }
}

Columns micro_batch(const Columns& batch, const Value& index, int64_t count) {
  Columns part;
  for (const auto& [name, x] : batch) {
    const int64_t rows = x.shape()[0] / count;
    part.emplace(name, dynamic_slice(x, 0, index * static_cast<double>(rows), rows));
  }
  return part;
}

// A bijection of the index in each half: no two micro-batches have the same.
Value key_of(const Value& random_key, const Value& micro_batch) {
  const Value halves = iota({DType::kUInt32, {2}}, 0);
  return random_bits(halves + convert(micro_batch, DType::kUInt32) * 2.0, random_key);
}

// What the examples of a batch add up to.
struct Sums {
  Value loss, weight;
  Values gradients;  // of the sum of the losses
};

Sums sums_of(const Task& task, nn::Context& context, const Columns& batch) {
  const Forward forward = task.forward(nn::Scope(context), batch);
  return {forward.loss_sum, forward.weight_sum, gradients(forward.loss_sum, values_of(context.parameters()))};
}

// The same of all micro-batches, one after the other.
Sums accumulate(const Sums& micro_batch, const Value& index, int64_t count) {
  Values terms{micro_batch.loss, micro_batch.weight};
  append(terms, micro_batch.gradients);
  const Values sums = loop_sum(terms, index, count);
  return {sums[0], sums[1], Values(sums.begin() + 2, sums.end())};
}

}  // namespace

StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options) {
  const BatchParameters in = batch_parameters(batch);
  const Value rates = parameter("rates", {DType::kFloat32, {3}});
  const Value random_key = parameter("random_key", {DType::kUInt32, {2}});

  const int64_t micro_batches = options.gradient_accumulation_steps;
  require_micro_batches(batch, micro_batches);
  const Value index = parameter("micro_batch", {DType::kInt32, {}});

  nn::Context context({.compute_dtype = options.compute_dtype,
                       .training = options.dropout,
                       .initializer_range = task.initializer_range(),
                       .random_key = micro_batches == 1 ? random_key : key_of(random_key, index),
                       .remat = options.remat});
  const Sums sums =
      micro_batches == 1
          ? sums_of(task, context, in.columns)
          : accumulate(sums_of(task, context, micro_batch(in.columns, index, micro_batches)), index, micro_batches);
  // A batch may have nothing to learn from: masked language modelling may choose no token. Its loss is 0 then, not 0 /
  // 0, and its gradients, which are 0, stay so.
  const Value weight = maximum(sums.weight, full(sums.weight.type(), 1e-30));
  const Value loss = sums.loss / weight;

  const Values weights = values_of(context.parameters());
  const Value norm = global_norm(sums.gradients) / weight;
  // The gradients are divided by the weight in the update, where they are scaled anyway.
  const Value factor = clipping_factor(norm, options.max_grad_norm) / weight;
  const Value hyper = concatenate({rates, reshape(factor, {1})}, 0);

  Values m, v, new_weights, new_m, new_v;
  for (size_t i = 0; i < weights.size(); ++i) {
    m.push_back(parameter("m", weights[i].type()));
    v.push_back(parameter("v", weights[i].type()));
    const AdamWState state = adamw({weights[i], m[i], v[i]}, sums.gradients[i], hyper, adam_for(weights[i], options));
    new_weights.push_back(state.parameter);
    new_m.push_back(state.m);
    new_v.push_back(state.v);
  }

  StepProgram program;
  Function& f = program.function;
  for (const Values& part : {weights, m, v, in.values, Values{rates, random_key}}) append(f.parameters, part);
  for (const Values& part : {new_weights, new_m, new_v}) append(f.results, part);
  for (size_t i = 0; i < f.results.size(); ++i) f.aliases.emplace_back(i, i);
  append(f.results, {loss, sums.weight, norm});
  program.parameters.assign(context.parameters().begin(), context.parameters().end());
  return program;
}

EvaluationProgram evaluation_program(const Task& task, const Signature& batch, DType compute_dtype) {
  const BatchParameters in = batch_parameters(batch);
  nn::Context context({.compute_dtype = compute_dtype, .initializer_range = task.initializer_range()});
  const Forward forward = task.forward(nn::Scope(context), in.columns);

  EvaluationProgram program;
  program.function.parameters = values_of(context.parameters());
  append(program.function.parameters, in.values);
  program.function.results = {forward.loss_sum, forward.weight_sum};
  for (const auto& [name, value] : forward.outputs) {
    program.outputs.push_back(name);
    program.function.results.push_back(value);
  }
  program.parameters.assign(context.parameters().begin(), context.parameters().end());
  return program;
}

}  // namespace portune::train
