#include "models/reference_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "portune/ops.h"
#include "portune/tasks/classification_loss.h"
#include "portune/tasks/initial_weights.h"

namespace portune::test {
namespace {

Tensor copy_of(const TensorView& view) {
  Tensor tensor(view.type);
  std::memcpy(tensor.data(), view.data, static_cast<size_t>(view.type.bytes()));
  return tensor;
}

Tensor to_int32(const TensorView& view) {
  const Tensor wide = copy_of(view);
  const auto values = wide.as<int64_t>();
  return Tensor(view.type.shape, std::span<const int32_t>(std::vector<int32_t>(values.begin(), values.end())));
}

}  // namespace

ReferenceCase::ReferenceCase(const std::string& name)
    : path_(std::filesystem::path(PORTUNE_TEST_DATA) / name),
      folder_(hub::ModelFolder::open(path_)),
      facts_(io::JsonObject::read(path_ / "case.json")),
      classifier_(models::sequence_classifier(
          folder_.config(), static_cast<int64_t>(folder_.config().get_string_map("id2label").size()))),
      problem_(folder_.config().get_string("problem_type")) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(path_ / "inputs.safetensors");
  for (const char* column : {"input_ids", "attention_mask", "token_type_ids"}) {
    batch_.set(column, to_int32(*file.find(column)));
  }
  const TensorView labels = *file.find("labels");
  const int64_t rows = labels.type.shape[0];
  if (labels.type.dtype == DType::kInt64) {
    batch_.set("labels", to_int32(labels));
  } else {
    const Tensor floats = copy_of(labels);
    batch_.set("labels", Tensor({rows}, std::span<const float>(floats.as<float>())));
  }
  const std::vector<float> ones(static_cast<size_t>(rows), 1);
  batch_.set(data::kExampleWeight, Tensor({rows}, std::span<const float>(ones)));
}

Tensor ReferenceCase::recorded(const std::string& file, const std::string& name) const {
  return copy_of(io::SafetensorsFile::open(path_ / (file + ".safetensors")).find(name).value());
}

double ReferenceCase::tolerance(const Tensor& wanted, double torch_difference) const {
  double largest = 1;
  for (const float value : wanted.as<float>()) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return std::max(10 * torch_difference, 2e-5 * largest);
}

std::vector<std::string> ReferenceCase::inputs() const {
  return {"input_ids", "attention_mask", "token_type_ids", "labels", std::string(data::kExampleWeight)};
}

Forward ReferenceCase::forward(const nn::Scope& root, const Columns& batch) const {
  const Value logits =
      classifier_.logits(root, {batch.at("input_ids"), batch.at("attention_mask"), batch.at("token_type_ids")});
  const Value& labels = batch.at("labels");
  Value losses;
  if (problem_ == "single_label_classification") {
    losses = tasks::softmax_cross_entropy(logits, labels);
  } else if (problem_ == "multi_label_classification") {
    losses = tasks::sigmoid_cross_entropy(reshape(logits, {-1}), labels);
  } else {
    const Value difference = reshape(logits, {-1}) - labels;
    losses = difference * difference;
  }
  const Value& weights = batch.at(std::string(data::kExampleWeight));
  return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {{"logits", logits}}};
}

InitialWeights ReferenceCase::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return tasks::load_weights(folder_, parameters, classifier_.base_prefix, seed);
}

}  // namespace portune::test
