// Layers of BERT-base's size as a task: programs of a real size without a checkpoint.
#pragma once

#include "portatune/models/encoders/bert_layers.h"
#include "portatune/tasks.h"
#include "portatune/train/program/programs.h"

namespace portatune::test {

class LayerStack final : public Task {
 public:
  explicit LayerStack(int64_t layers) { fields_.num_hidden_layers = layers; }

  std::vector<std::string> inputs() const override { return {"x", std::string(data::kExampleWeight)}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& x = batch.at("x");
    const Value nothing_hidden = full({DType::kFloat32, {x.shape()[0], 1, 1, x.shape()[1]}}, 0);
    const Value y = models::bert_layers(root, fields_, convert(x, root.options().compute_dtype), nothing_hidden).back();
    const Value losses = mean(convert(y * y, DType::kFloat32), {1, 2});
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}

  /// A training step on rows of 128 tokens.
  Function step(int64_t rows, const train::StepOptions& options) const {
    return train::step_program(*this, batch(rows), options).function;
  }
  /// An evaluation of the same rows.
  Function evaluation(int64_t rows) const { return train::evaluation_program(*this, batch(rows), {}).function; }

 private:
  train::Signature batch(int64_t rows) const {
    return {{"x", {DType::kFloat32, {rows, 128, fields_.hidden_size}}},
            {std::string(data::kExampleWeight), {DType::kFloat32, {rows}}}};
  }

  models::BertFields fields_;
};

}  // namespace portatune::test
