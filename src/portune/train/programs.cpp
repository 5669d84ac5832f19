#include "portune/train/programs.h"

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

}  // namespace

StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options) {
  const BatchParameters in = batch_parameters(batch);
  const Value rates = parameter("rates", {DType::kFloat32, {3}});
  const Value random_key = parameter("random_key", {DType::kUInt32, {2}});

  nn::Context context({.compute_dtype = options.compute_dtype,
                       .training = options.dropout,
                       .initializer_range = task.initializer_range(),
                       .random_key = random_key});
  const Forward forward = task.forward(nn::Scope(context), in.columns);
  // A batch may have nothing to learn from: masked language modelling may choose no token. Its loss is 0 then, not 0 /
  // 0.
  const Value loss = forward.loss_sum / maximum(forward.weight_sum, full(forward.weight_sum.type(), 1e-30));

  const Values weights = values_of(context.parameters());
  const Values dweights = gradients(loss, weights);
  const Value norm = global_norm(dweights);
  const Value hyper = concatenate({rates, reshape(clipping_factor(norm, options.max_grad_norm), {1})}, 0);

  Values m, v, new_weights, new_m, new_v;
  for (size_t i = 0; i < weights.size(); ++i) {
    m.push_back(parameter("m", weights[i].type()));
    v.push_back(parameter("v", weights[i].type()));
    const AdamWState state = adamw({weights[i], m[i], v[i]}, dweights[i], hyper, adam_for(weights[i], options));
    new_weights.push_back(state.parameter);
    new_m.push_back(state.m);
    new_v.push_back(state.v);
  }

  StepProgram program;
  Function& f = program.function;
  for (const Values& part : {weights, m, v, in.values, Values{rates, random_key}}) append(f.parameters, part);
  for (const Values& part : {new_weights, new_m, new_v}) append(f.results, part);
  for (size_t i = 0; i < f.results.size(); ++i) f.aliases.emplace_back(i, i);
  append(f.results, {loss, forward.weight_sum, norm});
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
