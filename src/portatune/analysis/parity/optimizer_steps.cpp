#include "portatune/analysis/parity/optimizer_steps.h"

#include <algorithm>
#include <cmath>

#include "portatune/error.h"
#include "portatune/nn/program_parameters.h"
#include "portatune/ops.h"

namespace portatune::parity {
namespace {

struct Optimizer {
  double lr, beta1, beta2, eps, weight_decay;
  int64_t steps;
};

Optimizer optimizer_of(const ReferenceCase& reference) {
  const std::optional<io::JsonObject> object = reference.facts().get_object("optimizer");
  if (!object) {
    throw CheckpointError({.where = (reference.path() / "case.json").string(),
                           .given = "no \"optimizer\"",
                           .expected = "the optimizer of after5.safetensors"});
  }
  const io::JsonObject& facts = *object;
  const std::vector<double> betas = facts.get_floats("betas");
  if (facts.get_string("type") != "AdamW" || betas.size() != 2 || !facts.get_bool_or("decay_all_parameters", true)) {
    throw CheckpointError({.where = (reference.path() / "case.json").string() + ", optimizer",
                           .given = facts.get_string("type"),
                           .expected = "AdamW with two betas and weight decay for all parameters"});
  }
  return {facts.get_float("lr"),
          betas[0],
          betas[1],
          facts.get_float("eps"),
          facts.get_float("weight_decay"),
          facts.get_int("steps", {1, 1000})};
}

Comparison compare_losses(const ReferenceCase& reference, const std::vector<double>& found) {
  const auto recorded = [&](const char* key) {
    std::vector<double> values = reference.facts().get_floats(key);
    values.resize(std::min(values.size(), found.size()));
    return values;
  };
  const std::vector<double> wanted = recorded("losses"), torch = recorded("torch_fp32_losses");
  const auto as_tensor = [](const std::vector<double>& values) {
    return vector_of(std::vector<float>(values.begin(), values.end()));
  };
  Recorded losses{.place = (reference.path() / "case.json").string() + ", losses", .values = as_tensor(wanted)};
  for (size_t i = 0; i < std::min(wanted.size(), torch.size()); ++i) {
    losses.torch_difference = std::max(losses.torch_difference, std::abs(wanted[i] - torch[i]));
  }
  return compare("output", "losses", as_tensor({found.begin(), found.begin() + static_cast<int64_t>(wanted.size())}),
                 losses, allowed_error(losses, DType::kFloat32));
}

}  // namespace

train::Signature signature_of(const ReferenceTask& task, const ReferenceCase& reference) {
  train::Signature signature;
  for (const std::string& name : task.inputs()) signature.emplace_back(name, reference.inputs().tensor(name).type());
  return signature;
}

std::vector<Tensor> start_of(const ReferenceTask& task, const ReferenceCase& reference,
                             std::span<const nn::Parameter> parameters) {
  std::vector<Tensor> start = task.initial_weights(nn::arguments_of(parameters), 0).values;
  for (const std::string& name : task.inputs()) start.push_back(reference.inputs().tensor(name));
  return start;
}

std::vector<DeviceArray> put_all(const Device& device, const std::vector<Tensor>& tensors) {
  std::vector<DeviceArray> arrays;
  for (const Tensor& tensor : tensors) arrays.push_back(device.put(tensor.view()));
  return arrays;
}

std::vector<Tensor> start_of_step(const train::StepProgram& step, const ReferenceTask& task,
                                  const ReferenceCase& reference, float learning_rate,
                                  const std::array<uint32_t, 2>& random_key) {
  const train::StepLayout& layout = step.layout;
  std::vector<Tensor> arguments(layout.arguments());
  const std::vector<Tensor> weights = task.initial_weights(step.parameters, 0).values;
  for (size_t i = 0; i < layout.weights(); ++i) arguments[layout.weight(i)] = weights[i];
  for (size_t i = 0; i < layout.slots().size(); ++i) arguments[layout.slot(i)] = Tensor(layout.slots()[i].type);
  arguments[layout.progress(train::ProgressArray::kCounters)] = Tensor({3}, {0, 0, 0});
  arguments[layout.progress(train::ProgressArray::kLossScale)] = Tensor({}, {1.0f});
  for (const std::string& name : task.inputs()) arguments[layout.batch(name)] = reference.inputs().tensor(name);
  arguments[layout.input(train::StepInput::kRates)] = Tensor({}, {learning_rate});
  arguments[layout.input(train::StepInput::kRandomKey)] = Tensor({2}, {random_key[0], random_key[1]});
  for (size_t i = 0; i < step.dropout_rates.size(); ++i) {
    arguments[layout.dropout(i)] = dropout_rule(step.dropout_rates[i]);
  }
  return arguments;
}

NamedTensors optimizer_steps(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                             std::vector<Comparison>& comparisons) {
  const Optimizer o = optimizer_of(reference);
  const train::StepProgram plan = train::step_program(
      task, signature_of(task, reference),
      {.optimizer = optim::adamw({.beta1 = o.beta1, .beta2 = o.beta2, .eps = o.eps, .weight_decay = o.weight_decay},
                                 optim::WeightDecayOf::kAll),
       .max_grad_norm = 0,
       .dropout = reference.facts().get_bool_or("training_mode", false),
       .lora = reference.model().lora()});
  const Program program = device.compile(plan.function);
  const train::StepLayout& layout = plan.layout;
  std::vector<DeviceArray> arrays = put_all(device, start_of_step(plan, task, reference, static_cast<float>(o.lr)));

  std::vector<double> losses;
  for (int64_t t = 1; t <= o.steps; ++t) {
    std::vector<DeviceArray*> arguments;
    for (DeviceArray& array : arrays) arguments.push_back(&array);
    std::vector<DeviceArray> results = program.run(arguments);
    losses.push_back(results[layout.result(train::StepNumber::kLoss)].to_host().as<float>()[0]);
    for (const auto& [argument, result] : layout.replaced()) arrays[argument] = std::move(results[result]);
  }
  comparisons.push_back(compare_losses(reference, losses));

  NamedTensors after;
  for (size_t i = 0; i < layout.weights(); ++i) {
    const Tensor parameter = arrays[layout.weight(i)].to_host();
    const std::vector<std::string> names = reference.names_of(plan.parameters[i], "after5");
    for (const std::string& name : names) after.emplace_back(name, parameter);
  }
  return after;
}

}  // namespace portatune::parity
