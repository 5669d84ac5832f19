// Training in float16, compared with float32, and with overflowing gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "tasks/sentences.h"
#include "train/plane_task.h"
#include "train/state_of.h"

namespace portatune::test {
namespace {

TrainingOptions options(DType dtype) {
  return {.learning_rate = 0.01, .lr_scheduler_type = "constant", .max_grad_norm = 0, .dtype = dtype};
}

struct Scales final : Callback {
  std::vector<double> scales;
  std::vector<int64_t> skipped;
  void on_step(const StepResult& result, int64_t) override { scales.push_back(result.loss_scale()); }
  void on_skip(const StepResult& result, const std::vector<data::Origin>&) override {
    EXPECT_TRUE(std::isfinite(result.loss()));
    skipped.push_back(result.step());
  }
};

const Device& two_devices() {
  static const Device device({.mesh = {.data = 2}, .cache_folder = program_cache()});
  return device;
}

TEST(Float16, EqualsFloat32WithoutOverflows) {
  const PlaneTask task;
  Trainer half(kernels(), task, options(DType::kFloat16)), single(kernels(), task, options(DType::kFloat32));
  Scales recorded;
  const FitResult result =
      half.fit(plane_batches(8, {.large = {2, 3, 5}}), {.num_train_epochs = 1, .callback = &recorded});
  EXPECT_THAT(recorded.skipped, testing::ElementsAre(3, 4));
  EXPECT_THAT(recorded.scales, testing::ElementsAre(65536, 65536, 65536, 32768, 16384, 16384, 16384, 16384));
  EXPECT_EQ(result.skipped_steps, 2);
  single.fit(plane_batches(8, {}, {2, 3}), {.num_train_epochs = 1});
  EXPECT_EQ(state_of(half), state_of(single));
}

// A device has one row of each batch, so the scale of its mean loss is doubled.
TEST(Float16, DevicesOfAMeshSkipTheSameSteps) {
  const PlaneTask task;
  Trainer half(two_devices(), task, options(DType::kFloat16)), single(two_devices(), task, options(DType::kFloat32));
  Scales recorded;
  half.fit(plane_batches(8, {.large = {2, 3, 4, 5}}), {.num_train_epochs = 1, .callback = &recorded});
  EXPECT_THAT(recorded.skipped, testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(recorded.scales, testing::ElementsAre(65536, 65536, 65536, 32768, 16384, 8192, 8192, 8192));
  single.fit(plane_batches(8, {}, {2, 3, 4}), {.num_train_epochs = 1});
  EXPECT_EQ(state_of(half), state_of(single));
}

TEST(Float16, ResumesWithItsLossScale) {
  const PlaneTask task;
  const TemporaryFolder folder;
  Trainer whole(kernels(), task, options(DType::kFloat16));
  whole.fit(plane_batches(8, {.large = {2, 5}}),
            {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 4}});
  const train::Progress progress = train::read_position(folder / "checkpoint-4").progress;
  EXPECT_EQ(progress.updates, 3);
  EXPECT_EQ(progress.good_steps, 1);
  EXPECT_EQ(progress.loss_scale, 32768);

  const PlaneTask saved(folder / "checkpoint-4");
  Trainer second(kernels(), saved, options(DType::kFloat16));
  second.resume(folder / "checkpoint-4");
  Scales recorded;
  EXPECT_EQ(
      second.fit(plane_batches(8, {.large = {2, 5}}), {.num_train_epochs = 1, .callback = &recorded}).skipped_steps, 2);
  EXPECT_THAT(recorded.scales, testing::ElementsAre(32768, 32768, 16384, 16384));
  EXPECT_EQ(state_of(second), state_of(whole));
}

TEST(Float16, MicroBatchesGiveTheGradientOfTheWholeBatch) {
  const PlaneTask task;
  TrainingOptions halves = options(DType::kFloat16);
  halves.gradient_accumulation_steps = 2;
  Trainer whole(kernels(), task, options(DType::kFloat16)), parts(kernels(), task, halves);
  for (Trainer* trainer : {&whole, &parts}) trainer->fit(plane_batches(8), {.num_train_epochs = 1});
  EXPECT_EQ(state_of(parts), state_of(whole));
}

// ---- a model

data::Dataset six_rows() {
  return data::from_examples({sentence("the film was good", "good"), sentence("the film was bad", "bad"),
                              sentence("it was a good story", "good"), sentence("it was a bad story", "bad"),
                              sentence("a good play", "good"), sentence("a bad play", "bad")});
}

// The first moments after one step: a tenth of the gradient, dropout included.
std::vector<Tensor> moments_of_a_step(const TextClassification& task, DType dtype) {
  Trainer trainer(kernels(), task, options(dtype));
  EXPECT_FALSE(trainer.step(*task.batches(six_rows(), 6).iterate().next()).skipped());
  const TemporaryFolder folder;
  trainer.save_checkpoint(folder / "saved");
  const io::SafetensorsFile model = io::SafetensorsFile::open(folder / "saved" / "model.safetensors");
  const train::SavedArrays saved(folder / "saved", train::kOptimizerStem);
  std::vector<Tensor> moments;
  for (const io::SafetensorsFile::Entry& entry : model.entries()) {
    moments.push_back(saved.read("m." + entry.name, entry.type));
  }
  return moments;
}

TEST(Float16, GradientsOfAModelAreThoseOfFloat32) {
  const TextClassification task(kTinyBert, {.max_length = 12, .labels = {"bad", "good"}});
  const std::vector<Tensor> wanted = moments_of_a_step(task, DType::kFloat32);
  const std::vector<Tensor> found = moments_of_a_step(task, DType::kFloat16);
  double all_squares = 0, squares_of_differences = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (size_t k = 0; k < wanted[i].as<float>().size(); ++k) {
      const double value = wanted[i].as<float>()[k], difference = found[i].as<float>()[k] - value;
      all_squares += value * value;
      squares_of_differences += difference * difference;
    }
  }
  EXPECT_GT(all_squares, 0);
  EXPECT_GT(squares_of_differences, 0);  // it is not computed in float32
  EXPECT_LT(std::sqrt(squares_of_differences / all_squares), 5e-3);
}

TEST(Float16, LearnsWhatFloat32Learns) {
  const TextClassification task(kTinyBert, {.max_length = 12, .labels = {"bad", "good"}});
  Trainer trainer(kernels(), task, {.learning_rate = 0.01, .weight_decay = 0.01, .dtype = DType::kFloat16});
  const FitResult result =
      trainer.fit(task.batches(six_rows(), 3), {.num_train_epochs = 40, .validation = {{task.batches(six_rows(), 4)}}});
  for (const auto& [name, score] : result.scores) {
    if (name == "accuracy") {
      EXPECT_EQ(score, 1);
    } else if (name == "loss") {
      EXPECT_LT(score, 0.1);
    }
  }
  EXPECT_FALSE(result.scores.empty());
}

}  // namespace
}  // namespace portatune::test
