#include "portatune/train/program/given_gradients.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/process_group.h"
#include "portatune/train/program/shared_update.h"
#include "portatune/train/program/step_update.h"

namespace portatune::train {
namespace {

constexpr const char* kGivenGradients = "gradients";  // in errors

using GradientEntry = std::pair<std::string, Tensor>;

[[noreturn]] void refuse_gradient(const std::string& name, const std::vector<nn::Parameter>& parameters) {
  const bool is_known = std::ranges::find(parameters, name, &nn::Parameter::name) != parameters.end();
  const auto trained = std::ranges::find(parameters, true, &nn::Parameter::trainable);
  throw UsageError({.where = kGivenGradients,
                    .given = "\"" + name + "\", " + (is_known ? "which is not trained" : "which is no parameter"),
                    .expected = trained == parameters.end() ? "no gradients, as all parameters are frozen"
                                                            : "trained parameters, such as \"" + trained->name + "\""});
}

// Requires one gradient for each trainable parameter, and no other.
void require_gradients_of(const std::vector<nn::Parameter>& parameters, const std::vector<GradientEntry>& given) {
  const std::vector<nn::Parameter> trainable = trainable_of(parameters);
  for (const auto& [name, value] : given) {
    if (std::ranges::find(trainable, name, &nn::Parameter::name) == trainable.end()) {
      refuse_gradient(name, parameters);
    }
    if (std::ranges::count(given, name, &GradientEntry::first) > 1) {
      throw UsageError({.where = kGivenGradients, .given = "\"" + name + "\" twice", .expected = "each name once"});
    }
  }
  std::vector<std::string> missing;
  for (const nn::Parameter& parameter : trainable) {
    if (std::ranges::find(given, parameter.name, &GradientEntry::first) == given.end()) {
      missing.push_back(parameter.name);
    }
  }
  if (missing.empty()) return;
  throw UsageError({.where = kGivenGradients,
                    .given = "no gradient of " + list_of(missing, 3),
                    .expected = "an array for each trained parameter"});
}

const Tensor& gradient_of(const nn::Parameter& parameter, const std::vector<GradientEntry>& given) {
  const Tensor& gradient = std::ranges::find(given, parameter.name, &GradientEntry::first)->second;
  if (gradient.type() == parameter.type) return gradient;
  throw ShapeError({.where = "gradient of " + parameter.name,
                    .given = to_string(gradient.type()),
                    .expected = to_string(parameter.type)});
}

// Each process puts its part of the gradients on its devices, so all must have the same.
void require_same_gradients(const std::vector<TensorView>& gradients, ProcessGroup* processes) {
  if (processes == nullptr) return;
  const std::optional<int64_t> other = first_with_another(processes, io::hash_of(gradients));
  if (!other) return;
  throw DataError({.where = kGivenGradients,
                   .given = "different arrays in process " + std::to_string(*other) + " and process 0",
                   .expected = "the same in all processes"});
}

}  // namespace

std::string input_of_gradient(const nn::Parameter& parameter) { return "gradient." + parameter.name; }

Signature signature_of_gradients(const std::vector<nn::Parameter>& parameters) {
  Signature signature{{kGivenLoss, {DType::kFloat32, {}}}};
  for (const nn::Parameter& parameter : trainable_of(parameters)) {
    signature.emplace_back(input_of_gradient(parameter), parameter.type);
  }
  return signature;
}

std::vector<DeviceArray> put_gradients(const Gradients& gradients, const std::vector<nn::Parameter>& parameters,
                                       const Device& device) {
  require_gradients_of(parameters, gradients.by_parameter);
  const std::vector<nn::Parameter> trainable = trainable_of(parameters);
  const Tensor loss({}, {static_cast<float>(gradients.loss)});
  std::vector<TensorView> given{loss.view()};
  for (const nn::Parameter& parameter : trainable) {
    given.push_back(gradient_of(parameter, gradients.by_parameter).view());
  }
  require_same_gradients(given, device.processes());
  std::vector<DeviceArray> arrays;
  arrays.push_back(device.put(given.front()));
  for (size_t i = 0; i < trainable.size(); ++i) {
    arrays.push_back(device.put(given[i + 1], SharedUpdate(trainable[i], device.mesh()).sharding()));
  }
  return arrays;
}

}  // namespace portatune::train
