// A task whose weight counts its updates, with scores by a table.
#pragma once

#include <cmath>
#include <filesystem>
#include <vector>

#include "io/temporary_folder.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks.h"
#include "portatune/train.h"
#include "train/sentence_task.h"

namespace portatune::test {

/// The weight `steps` starts at 0, and the loss is -steps: SGD with learning rate 1 adds 1 in each step. The scores
/// "score" and "my_loss" after step n are both element n - 1 of a table.
class CountingTask : public Task {
 public:
  /// trainer  its steps choose the scores; it is not used before the first evaluation
  /// saved    a checkpoint of this task; empty: the weight starts at 0
  CountingTask(const Trainer& trainer, std::vector<double> scores, std::filesystem::path saved)
      : trainer_(trainer), scores_(std::move(scores)), saved_(std::move(saved)) {}

  std::vector<std::string> inputs() const override { return {"x", std::string(data::kExampleWeight)}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    const Value losses = batch.at("x") - root.parameter("steps", {1}, {});
    return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<Table>(*this); }
  TokenCount tokens(const data::Example&) const override { return {}; }
  InitialWeights initial_weights(std::span<const nn::Parameter>, uint64_t) const override;
  void save(const std::filesystem::path&) const override {}

 private:
  struct Table final : Metrics {
    explicit Table(const CountingTask& task) : task(task) {}
    void update(const data::Example&, const data::Example&) override {}
    Scores result() const override {
      const double score = task.scores_.at(static_cast<size_t>(task.trainer_.steps() - 1));
      return {{"score", score}, {"my_loss", score}};
    }
    const CountingTask& task;
  };

  const Trainer& trainer_;
  const std::vector<double> scores_;
  const std::filesystem::path saved_;
};

/// The weight in a model folder.
inline float steps_in_model(const std::filesystem::path& folder) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(folder / "model.safetensors");
  return to_floats(*file.find("steps")).front();
}

inline InitialWeights CountingTask::initial_weights(std::span<const nn::Parameter>, uint64_t) const {
  return {{Tensor({1}, {saved_.empty() ? 0.0f : steps_in_model(saved_)})}, {}};
}

/// The weight that a trainer would save.
inline int64_t steps_in_weights(const Trainer& trainer) {
  const TemporaryFolder folder;
  trainer.save(folder / "model");
  return std::lround(steps_in_model(folder / "model"));
}

/// `count` batches of `size` rows.
inline data::Dataset counted_batches(int64_t count, int64_t size = 1) {
  std::vector<data::Example> rows(static_cast<size_t>(count * size));
  for (data::Example& row : rows) row.set("x", Tensor({}, {0.0f}));
  return data::from_examples(std::move(rows)).batch({.size = size});
}

/// A run of the counting task, which may continue a checkpoint.
struct CountingRun {
  explicit CountingRun(const std::vector<double>& scores, const std::filesystem::path& checkpoint = {},
                       const Device& device = kernels())
      : task(trainer, scores, checkpoint),
        trainer(device, task,
                {.learning_rate = 1, .lr_scheduler_type = "constant", .optim = "sgd", .max_grad_norm = 0}) {
    if (!checkpoint.empty()) trainer.resume(checkpoint);
  }

  CountingTask task;
  Trainer trainer;
};

}  // namespace portatune::test
