#include "portatune/hub/adapters/merge_adapter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/hub/changed_model.h"
#include "portatune/hub/model_folder.h"
#include "portatune/nn/adapted_layers.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

// The change of a weight, B [out, rank] times A [rank, in], transposed if the weight is [in, out]. With magnitudes, the
// sum of both gets them as the norms of its rows.
struct Change {
  TensorView a, b;
  std::optional<TensorView> magnitudes;  // [out]
  double scale;
  bool is_transposed;

  Shape shape() const {
    const int64_t in = a.type.shape[1], out = b.type.shape[0];
    return is_transposed ? Shape{in, out} : Shape{out, in};
  }
  bool fits(const TensorView& weight) const {
    const bool are_matrices = a.type.shape.rank() == 2 && b.type.shape.rank() == 2;
    if (are_matrices && magnitudes && magnitudes->type.shape != Shape{b.type.shape[0]}) return false;
    return are_matrices && a.type.shape[0] == b.type.shape[1] && weight.type.shape == shape();
  }
};

// Gives a vector another norm.
void scale_to(std::vector<double>& x, double norm) {
  const double before = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  for (double& value : x) value *= norm / before;
}

Tensor sum_of(const TensorView& weight, const Change& change) {
  const std::vector<float> w = to_floats(weight), a = to_floats(change.a), b = to_floats(change.b);
  const auto rank = static_cast<size_t>(change.a.type.shape[0]);
  const size_t in = a.size() / rank, out = b.size() / rank;
  std::vector<float> merged(w.size());
  const std::vector<float> magnitudes = change.magnitudes ? to_floats(*change.magnitudes) : std::vector<float>();
  std::vector<double> row(in);
  for (size_t i = 0; i < out; ++i) {
    const auto at = [&](size_t j) { return change.is_transposed ? j * out + i : i * in + j; };
    std::ranges::fill(row, 0.0);
    for (size_t r = 0; r < rank; ++r) {
      const double factor = change.scale * b[i * rank + r];
      for (size_t j = 0; j < in; ++j) row[j] += factor * a[r * in + j];
    }
    for (size_t j = 0; j < in; ++j) row[j] += w[at(j)];
    if (!magnitudes.empty()) scale_to(row, magnitudes[i]);
    for (size_t j = 0; j < in; ++j) merged[at(j)] = static_cast<float>(row[j]);
  }
  return Tensor(weight.type.shape, std::span<const float>(merged));
}

std::map<std::string, Change> changes_of(const ModelFolder& model) {
  const bool has_conv1d = model.config().get_string_or("model_type", "") == "gpt2";
  std::map<std::string, Change> changes;
  for (const std::string& layer : model.lora()->target_modules) {
    const std::string weight = layer + ".weight", magnitudes = layer + "." + std::string(nn::kMagnitude);
    const auto part = [&](std::string_view name) { return *model.find(layer + "." + std::string(name) + ".weight"); };
    const Change change{.a = part(nn::kLoraA),
                        .b = part(nn::kLoraB),
                        .magnitudes = model.lora()->use_dora ? model.find(magnitudes) : std::nullopt,
                        .scale = nn::adapted_layer(*model.lora(), layer)->scale,
                        .is_transposed = has_conv1d};
    const std::optional<TensorView> before = model.find(weight);
    if (!before || !change.fits(*before)) {
      throw CheckpointError({.where = model.path().string() + ", adapter of " + layer,
                             .given = before ? "a base model with " + weight + " " + to_string(before->type.shape)
                                             : "a base model without that layer",
                             .expected = "the base model of the adapter"});
    }
    changes.emplace(weight, change);
  }
  return changes;
}

// Names and types of the merged model, in the order of the file.
std::vector<io::NamedTensorType> types_of(const ModelFolder& model, const std::map<std::string, Change>& changes) {
  std::vector<io::NamedTensorType> types;
  for (const NamedTensorView& tensor : model.tensors()) {
    if (!nn::layer_of_adapter(tensor.name).empty()) continue;
    const DType dtype = changes.contains(tensor.name) ? DType::kFloat32 : tensor.view.type.dtype;
    types.push_back({tensor.name, {dtype, tensor.view.type.shape}});
  }
  std::ranges::sort(types, io::lies_before);
  return types;
}

void write_weights(const fs::path& file, const ModelFolder& model) {
  const std::map<std::string, Change> changes = changes_of(model);
  const std::vector<io::NamedTensorType> types = types_of(model, changes);
  io::SafetensorsWriter writer(file, types);
  for (const io::NamedTensorType& type : types) {
    stop_if_requested();
    const TensorView before = *model.find(type.name);
    const auto change = changes.find(type.name);
    if (change == changes.end()) {
      writer.write(before);
    } else {
      writer.write(sum_of(before, change->second).view());
    }
  }
  writer.finish();
}

}  // namespace

int64_t merge_adapter(const fs::path& adapter, const fs::path& output, const std::vector<std::string>& others) {
  const ModelFolder model = ModelFolder::open(adapter);
  if (!model.lora()) {
    throw UsageError({.where = adapter.string(),
                      .given = "a whole model",
                      .expected = "an adapter: a folder with " + std::string(kAdapterConfig)});
  }
  write_changed_model(model, output, model.config_text(), others,
                      [&](const fs::path& file) { write_weights(file, model); });
  return std::ssize(model.lora()->target_modules);
}

}  // namespace portatune::hub
