#include "portatune/parity/optimizer_steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "portatune/error.h"
#include "portatune/train/progress.h"

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
  std::vector<Tensor> start = task.initial_weights(parameters, 0).values;
  for (const std::string& name : task.inputs()) start.push_back(reference.inputs().tensor(name));
  return start;
}

std::vector<DeviceArray> put_all(const Device& device, const std::vector<Tensor>& tensors) {
  std::vector<DeviceArray> arrays;
  for (const Tensor& tensor : tensors) arrays.push_back(device.put(tensor.view()));
  return arrays;
}

NamedTensors optimizer_steps(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                             std::vector<Comparison>& comparisons) {
  const Optimizer o = optimizer_of(reference);
  const train::StepProgram plan =
      train::step_program(task, signature_of(task, reference),
                          {.adam = {.beta1 = o.beta1, .beta2 = o.beta2, .eps = o.eps, .weight_decay = o.weight_decay},
                           .max_grad_norm = 0,
                           .dropout = false,
                           .decay_vectors = true});
  const Program program = device.compile(plan.function);
  const size_t n = plan.parameters.size();

  // Weights, both moments and progress, which each step replaces; then the inputs.
  std::vector<Tensor> start = start_of(task, reference, plan.parameters);
  std::vector<Tensor> moments;
  for (size_t i = 0; i < 2 * n; ++i) moments.emplace_back(start[i % n].type());
  start.insert(start.begin() + static_cast<int64_t>(n), moments.begin(), moments.end());
  std::vector<DeviceArray> arrays = put_all(device, start);
  std::vector<DeviceArray> progress = put(device, train::first_progress(DType::kFloat32));
  const size_t state = 3 * n + progress.size();
  arrays.insert(arrays.begin() + static_cast<int64_t>(3 * n), std::make_move_iterator(progress.begin()),
                std::make_move_iterator(progress.end()));
  arrays.push_back(device.put(Tensor({}, {static_cast<float>(o.lr)})));
  arrays.push_back(device.put(Tensor({DType::kUInt32, {2}})));

  std::vector<double> losses;
  for (int64_t t = 1; t <= o.steps; ++t) {
    std::vector<DeviceArray*> arguments;
    for (DeviceArray& array : arrays) arguments.push_back(&array);
    std::vector<DeviceArray> results = program.run(arguments);
    losses.push_back(results[state].to_host().as<float>()[0]);
    for (size_t i = 0; i < state; ++i) arrays[i] = std::move(results[i]);
  }
  comparisons.push_back(compare_losses(reference, losses));

  NamedTensors after;
  for (size_t i = 0; i < n; ++i) {
    const Tensor parameter = arrays[i].to_host();
    const std::vector<std::string> names = reference.names_of(plan.parameters[i], "after5");
    for (const std::string& name : names) after.emplace_back(name, parameter);
  }
  return after;
}

}  // namespace portatune::parity
