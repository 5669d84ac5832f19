#include <cmath>
#include <nlohmann/json.hpp>

#include "portatune/data/order/random.h"
#include "portatune/data/verbs/several/several.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kSample = "sample";

class SampleIterator final : public Iterator {
 public:
  SampleIterator(Iterators inputs, const SampleOptions& options, const Random& random)
      : inputs_(std::move(inputs)), options_(options), random_(random) {}

  std::optional<Example> next() override {
    while (Iterator* input = choose()) {
      if (auto example = input->next()) return example;
      end_chosen();
    }
    return std::nullopt;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    while (skipped < count) {
      Iterator* input = choose();
      if (input == nullptr) break;
      if (input->skip(1) == 1) {
        ++skipped;
      } else {
        end_chosen();
      }
    }
    return skipped;
  }

  nlohmann::json state() const override {
    return {{"stage", kSample},
            {"seed", options_.seed},
            {"weights", options_.weights},
            {"drawn", random_.drawn()},
            {"inputs", states_of(inputs_)}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kSample, state);
    saved.require_same("seed", options_.seed);
    saved.require_same("weights", options_.weights);
    random_.go_to(static_cast<uint64_t>(saved.count("drawn")));
    restore_all(inputs_, saved);
  }

 private:
  // A random dataset that has not ended, in proportion to the weights; null if all have ended.
  Iterator* choose() {
    double sum = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) sum += inputs_[i] ? options_.weights[i] : 0;
    if (sum == 0) return nullptr;
    double left = std::ldexp(static_cast<double>(random_.next() >> 11), -53) * sum;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i]) continue;
      chosen_ = i;  // rounding may leave a rest, which chooses the last dataset
      left -= options_.weights[i];
      if (left < 0) break;
    }
    return inputs_[chosen_].get();
  }

  void end_chosen() {
    inputs_[chosen_].reset();
    if (!options_.stop_on_empty_dataset) return;
    for (auto& input : inputs_) input.reset();
  }

  Iterators inputs_;
  const SampleOptions options_;
  Random random_;
  size_t chosen_ = 0;
};

struct Sample final : Stage {
  const std::vector<StagePtr> inputs;
  const SampleOptions options;
  Sample(std::vector<StagePtr> inputs, SampleOptions options)
      : inputs(std::move(inputs)), options(std::move(options)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    const int64_t epoch = options.reshuffle_each_iteration ? pass.epoch : 0;
    return std::make_unique<SampleIterator>(iterate_all(inputs, pass), options, Random(options.seed, epoch));
  }
};

void require_weights(const std::vector<double>& weights, size_t datasets) {
  if (weights.size() != datasets) {
    throw UsageError({.where = kSample,
                      .given = std::to_string(weights.size()) + " weights",
                      .expected = std::to_string(datasets) + ", one for each dataset"});
  }
  for (const double weight : weights) {
    if (weight > 0 && std::isfinite(weight)) continue;
    throw UsageError({.where = kSample,
                      .given = "weight " + std::to_string(weight),
                      .expected = "a positive number",
                      .fix = "leave out datasets without a positive weight"});
  }
}

}  // namespace

Dataset sample(std::vector<Dataset> datasets, SampleOptions options) {
  std::vector<StagePtr> inputs = stages_of(kSample, datasets);
  if (options.weights.empty()) options.weights.assign(inputs.size(), 1.0);
  require_weights(options.weights, inputs.size());
  return Dataset(std::make_shared<Sample>(std::move(inputs), std::move(options)));
}

}  // namespace portatune::data
