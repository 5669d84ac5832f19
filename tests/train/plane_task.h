// A task with known gradients, and batches of it, some of them bad.
#pragma once

#include <limits>
#include <set>

#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks.h"

namespace portatune::test {

/// The loss of an example is sum(x first) + sum(sqrt(z second)). The gradient of `first` is x. On its way back it is
/// multiplied by `up` and then by `down`, which are powers of two that cancel each other, and overflows if the scale of
/// the loss, times `up`, is 2^128. The gradient of `second` is not finite if z is 0, though the loss is.
class PlaneTask : public Task {
 public:
  /// saved  a folder written by save(); empty: the weights start as (1, -1) and (1, 1)
  explicit PlaneTask(std::filesystem::path saved = {}) : saved_(std::move(saved)) {}

  std::vector<std::string> inputs() const override {
    return {"x", "z", "up", "down", std::string(data::kExampleWeight)};
  }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value first = root.parameter("first", {1, 2}, {}), second = root.parameter("second", {2}, {});
    const Value products = sum(batch.at("x") * first, {1}) * batch.at("down") * batch.at("up");
    const Value losses = products + sum(sqrt(batch.at("z") * second), {1});
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t) const override {
    InitialWeights weights{{Tensor({1, 2}, {1.0f, -1.0f}), Tensor({2}, {1.0f, 1.0f})}, {}};
    if (saved_.empty()) return weights;
    const io::SafetensorsFile file = io::SafetensorsFile::open(saved_ / "model.safetensors");
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::vector<float> values = to_floats(*file.find(parameters[i].name));
      weights.values[i] = Tensor(parameters[i].type.shape, std::span<const float>(values));
    }
    return weights;
  }
  void save(const std::filesystem::path&) const override {}

 private:
  const std::filesystem::path saved_;
};

/// Indices of bad batches: those with an x or a z that makes the step non-finite, in their second row; and large ones,
/// whose gradients overflow with a loss scale of 2^15 or 2^14 on a device, but not of 2^13.
struct Bad {
  std::set<int64_t> x = {}, z = {}, large = {};
};

/// `count` batches of two rows each, with exactly representable numbers.
inline data::Dataset plane_batches(int64_t count, const Bad& bad = {}, const std::set<int64_t>& without = {}) {
  std::vector<data::Example> rows;
  for (int64_t i = 0; i < 2 * count; ++i) {
    const int64_t batch = i / 2;
    if (without.contains(batch)) continue;
    const auto number = static_cast<float>(i % 5);
    const bool spoils = i % 2 == 1;
    const float x = spoils && bad.x.contains(batch) ? std::numeric_limits<float>::infinity() : 0.5f * number - 0.75f;
    const float z = spoils && bad.z.contains(batch) ? 0 : 1;
    const float up = bad.large.contains(batch) ? 0x1p114f : 1;
    rows.emplace_back();
    rows.back().set("up", Tensor({}, {up})).set("down", Tensor({}, {1 / up}));
    rows.back().set("x", Tensor({2}, {x, number + 0.25f})).set("z", Tensor({2}, {1.0f, z}));
  }
  return data::from_examples(std::move(rows)).batch({.size = 2});
}

}  // namespace portatune::test
