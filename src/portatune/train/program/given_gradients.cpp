#include "portatune/train/program/given_gradients.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
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

[[noreturn]] void refuse_gradient(const std::string& name, const std::vector<nn::Parameter>& parameters) {
  const bool is_known = std::ranges::find(parameters, name, &nn::Parameter::name) != parameters.end();
  const auto trained = std::ranges::find(parameters, true, &nn::Parameter::trainable);
  throw UsageError({.where = kGivenGradients,
                    .given = "\"" + name + "\", " + (is_known ? "which is not trained" : "which is no parameter"),
                    .expected = trained == parameters.end() ? "no gradients, as all parameters are frozen"
                                                            : "trained parameters, such as \"" + trained->name + "\""});
}

// The gradients of the trainable parameters, in their order: one for each, and no other.
std::vector<const Tensor*> gradients_of(const std::vector<nn::Parameter>& trainable,
                                        const std::vector<nn::Parameter>& parameters, const Gradients& given) {
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < trainable.size(); ++i) places.emplace(trainable[i].name, i);
  std::vector<const Tensor*> gradients(trainable.size());
  for (const auto& [name, gradient] : given.by_parameter) {
    const auto place = places.find(name);
    if (place == places.end()) refuse_gradient(name, parameters);
    const Tensor*& found = gradients[place->second];
    if (found != nullptr) {
      throw UsageError({.where = kGivenGradients, .given = "\"" + name + "\" twice", .expected = "each name once"});
    }
    found = &gradient;
  }
  std::vector<std::string> missing;
  for (size_t i = 0; i < trainable.size(); ++i) {
    if (gradients[i] == nullptr) {
      missing.push_back(trainable[i].name);
    } else if (gradients[i]->type() != trainable[i].type) {
      throw ShapeError({.where = "gradient of " + trainable[i].name,
                        .given = to_string(gradients[i]->type()),
                        .expected = to_string(trainable[i].type)});
    }
  }
  if (missing.empty()) return gradients;
  throw UsageError({.where = kGivenGradients,
                    .given = "no gradient of " + list_of(missing, 3),
                    .expected = "an array for each trained parameter"});
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
  const std::vector<nn::Parameter> trainable = trainable_of(parameters);
  const Tensor loss({}, {static_cast<float>(gradients.loss)});
  std::vector<TensorView> given{loss.view()};
  for (const Tensor* gradient : gradients_of(trainable, parameters, gradients)) given.push_back(gradient->view());
  require_same_gradients(given, device.processes());
  std::vector<DeviceArray> arrays;
  arrays.push_back(device.put(given.front()));
  for (size_t i = 0; i < trainable.size(); ++i) {
    arrays.push_back(device.put(given[i + 1], SharedUpdate(trainable[i], device.mesh()).sharding()));
  }
  return arrays;
}

}  // namespace portatune::train
