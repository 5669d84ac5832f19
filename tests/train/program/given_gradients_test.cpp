// Steps with gradients that the caller gives.
#include "portatune/train/program/given_gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/program/step_update.h"
#include "runtime/processes/thread_group.h"
#include "tasks/sentences.h"
#include "train/plane_task.h"
#include "train/sentence_task.h"
#include "train/state_of.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

const TrainingOptions kOfPlane{
    .learning_rate = 0.5, .lr_scheduler_type = "constant", .optim = "sgd", .max_grad_norm = 0};

data::Example plane_batch() { return *plane_batches(1).iterate().next(); }

// A trainer of the plane whose weights are loaded.
Trainer plane_trainer(const PlaneTask& task, const TrainingOptions& options = kOfPlane) {
  Trainer trainer(kernels(), task, options);
  trainer.load(plane_batch());
  return trainer;
}

std::vector<float> floats_of(const Tensor& tensor) { return to_floats(tensor.view()); }

Gradients gradients_of_plane(std::vector<float> first, std::vector<float> second, double loss = 0.25) {
  return {.loss = loss,
          .by_parameter = {{"first", Tensor({1, 2}, std::span<const float>(first))},
                           {"second", Tensor({2}, std::span<const float>(second))}}};
}

// Two steps with the gradients of a batch, and two with the batch. The sum of its weights is a power of two, by which
// means divide without rounding.
void expect_steps_of_batch(const Device& device, const Task& task, const data::Example& batch,
                           const TrainingOptions& options) {
  Trainer by_batch(device, task, options), by_gradients(device, task, options);
  for (int64_t step = 1; step <= 2; ++step) {
    const StepResult wanted = by_batch.step(batch);
    const Gradients gradients = by_gradients.gradients(batch);
    const StepResult found = by_gradients.apply_gradients(gradients);
    EXPECT_EQ(found.step(), step);
    EXPECT_EQ(found.loss(), wanted.loss());
    EXPECT_EQ(found.grad_norm(), wanted.grad_norm());
    EXPECT_EQ(found.learning_rate(), wanted.learning_rate());
    EXPECT_EQ(found.loss_scale(), wanted.loss_scale());
  }
  for (const auto& [name, type] : by_batch.parameters()) {
    EXPECT_EQ(floats_of(by_gradients.weight(name)), floats_of(by_batch.weight(name))) << name;
  }
  for (const auto& [name, type] : by_batch.optimizer_state()) {
    EXPECT_EQ(floats_of(by_gradients.optimizer_array(name)), floats_of(by_batch.optimizer_array(name))) << name;
  }
}

TEST(ApplyGradients, OfABatchIsItsStep) {
  const TextClassification task = task_from(kTinyBert);
  expect_steps_of_batch(kernels(), task, four_sentences(task),
                        {.learning_rate = 0.01, .weight_decay = 0.1, .total_steps = 4});
}

TEST(ApplyGradients, OfABatchIsItsStepOnAMesh) {
  const TextClassification task = task_from(kTinyBert);
  expect_steps_of_batch(four_devices(), task, four_sentences(task),
                        {.learning_rate = 0.01,
                         .lr_scheduler_type = "constant",
                         .param_groups = {{.pattern = "classifier", .learning_rate = 0.1}},
                         .layer_decay = 0.5,
                         .ema = 0.5,
                         .optim = "lamb",
                         .max_grad_norm = 0.1,
                         .max_grad_value = 0.01});
}

TEST(ApplyGradients, TrainsAdapters) {
  const TextClassification task = task_from(kTinyBert);
  TrainingOptions options{.learning_rate = 0.1, .lr_scheduler_type = "constant"};
  options.lora = Lora{.rank = 2, .target_modules = {"query", "value"}, .modules_to_save = {"classifier"}};
  expect_steps_of_batch(kernels(), task, four_sentences(task), options);
}

TEST(ApplyGradients, IsAStepOfMicroBatchesOfFloat16AndOfSomeParameters) {
  const PlaneTask task;
  TrainingOptions options{.learning_rate = 0.1, .lr_scheduler_type = "constant", .gradient_accumulation_steps = 2};
  expect_steps_of_batch(kernels(), task, plane_batch(), options);
  options.dtype = DType::kFloat16;
  expect_steps_of_batch(kernels(), task, plane_batch(), options);
  options.freeze = {"first"};
  expect_steps_of_batch(kernels(), task, plane_batch(), options);
}

// A step divides when it scales the gradients, gradients() before.
TEST(ApplyGradients, DiffersByRoundingForOtherSumsOfWeights) {
  const PlaneTask task;
  data::Example batch = plane_batch();
  batch.set(std::string(data::kExampleWeight), Tensor({2}, {1.0f, 2.0f}));
  Trainer by_batch(kernels(), task, kOfPlane), by_gradients(kernels(), task, kOfPlane);
  by_batch.step(batch);
  by_gradients.apply_gradients(by_gradients.gradients(batch));
  for (const char* name : {"first", "second"}) {
    EXPECT_THAT(floats_of(by_gradients.weight(name)), Pointwise(FloatNear(1e-6f), floats_of(by_batch.weight(name))));
  }
}

TEST(ApplyGradients, SubtractsThemWithSgd) {
  const PlaneTask task;
  Trainer trainer = plane_trainer(task);
  const StepResult result = trainer.apply_gradients(gradients_of_plane({4, 0}, {0, -3}));
  EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(1 - 0.5f * 4, -1));
  EXPECT_THAT(floats_of(trainer.weight("second")), ElementsAre(1, 1 + 0.5f * 3));
  EXPECT_EQ(result.loss(), 0.25);
  EXPECT_EQ(result.grad_norm(), 5);
  EXPECT_EQ(result.weight(), 1);
  EXPECT_EQ(result.tokens().real, 0);
  EXPECT_EQ(trainer.steps(), 1);
  EXPECT_EQ(trainer.updates(), 1);
}

TEST(ApplyGradients, ClipsThem) {
  const PlaneTask task;
  TrainingOptions options = kOfPlane;
  options.max_grad_norm = 1;
  Trainer trainer = plane_trainer(task, options);
  trainer.apply_gradients(gradients_of_plane({4, 0}, {0, -3}));
  EXPECT_THAT(floats_of(trainer.weight("first")), Pointwise(FloatNear(1e-6f), {1 - 0.5f * 0.8f, -1.0f}));
}

TEST(ApplyGradients, TakesARateOrThatOfTheSchedule) {
  const PlaneTask task;
  TrainingOptions options = kOfPlane;
  options.lr_scheduler_type = "linear";
  options.total_steps = 4;
  Trainer trainer = plane_trainer(task, options);
  const Gradients gradients = gradients_of_plane({1, 0}, {0, 0});
  EXPECT_EQ(trainer.apply_gradients(gradients).learning_rate(), 0.5);
  EXPECT_EQ(trainer.apply_gradients(gradients, 2.0).learning_rate(), 2);
  EXPECT_EQ(trainer.apply_gradients(gradients).learning_rate(), 0.25);
  EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(1 - 0.5f - 2 - 0.25f, -1));

  for (const double rate : {-1.0, std::nan("")}) {
    EXPECT_THAT(message_of<UsageError>([&] { trainer.apply_gradients(gradients, rate); }),
                HasSubstr("a finite number of at least 0"));
  }

  options.total_steps = 0;
  Trainer without = plane_trainer(task, options);
  EXPECT_THAT(message_of<UsageError>([&] { without.apply_gradients(gradients); }), HasSubstr("total_steps"));
}

TEST(ApplyGradients, SkipsTheUpdateIfTheyAreNotFinite) {
  const PlaneTask task;
  TrainingOptions options = kOfPlane;
  options.on_non_finite = OnNonFinite::kSkip;
  Trainer trainer = plane_trainer(task, options);
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  for (const Gradients& bad : {gradients_of_plane({nan, 0}, {0, 0}), gradients_of_plane({0, 0}, {infinite, 0}),
                               gradients_of_plane({0, 0}, {0, 0}, nan)}) {
    EXPECT_TRUE(trainer.apply_gradients(bad).skipped());
  }
  EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(1, -1));
  EXPECT_EQ(trainer.updates(), 0);
  EXPECT_EQ(trainer.steps(), 3);
  EXPECT_FALSE(trainer.apply_gradients(gradients_of_plane({2, 0}, {0, 0})).skipped());
  EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(0, -1));
}

TEST(ApplyGradients, ChangesNothingAfterAStepThatHasStoppedTraining) {
  const PlaneTask task;
  Trainer trainer = plane_trainer(task);
  trainer.apply_gradients(gradients_of_plane({std::numeric_limits<float>::infinity(), 0}, {0, 0}));
  EXPECT_TRUE(std::isnan(trainer.apply_gradients(gradients_of_plane({2, 0}, {0, 0})).loss()));
  EXPECT_TRUE(std::isnan(trainer.step(plane_batch()).loss()));
  EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(1, -1));
}

TEST(ApplyGradients, HalvesTheLossScaleOfFloat16ForGradientsThatOverflow) {
  const PlaneTask task;
  TrainingOptions options = kOfPlane;
  options.dtype = DType::kFloat16;
  Trainer trainer = plane_trainer(task, options);
  const StepResult result =
      trainer.apply_gradients(gradients_of_plane({std::numeric_limits<float>::infinity(), 0}, {0, 0}));
  EXPECT_TRUE(result.skipped());
  EXPECT_EQ(result.loss_scale(), 65536);
  EXPECT_EQ(trainer.apply_gradients(gradients_of_plane({2, 0}, {0, 0})).loss_scale(), 32768);
  EXPECT_EQ(trainer.updates(), 1);
}

TEST(ApplyGradients, NeedsOneArrayOfTheRightTypeForEachTrainedParameter) {
  const PlaneTask task;
  TrainingOptions options = kOfPlane;
  options.freeze = {"second"};
  Trainer trainer = plane_trainer(task, options);
  const auto message = [&](std::vector<std::pair<std::string, Tensor>> arrays) {
    return message_of<UsageError>([&] { trainer.apply_gradients({.loss = 0, .by_parameter = std::move(arrays)}); });
  };
  const Tensor first({1, 2}, {1.0f, 1.0f});
  EXPECT_THAT(message({}), HasSubstr("no gradient of first\n"));
  EXPECT_THAT(message({{"first", first}, {"third", first}}),
              AllOf(HasSubstr("\"third\", which is no parameter"), HasSubstr("such as \"first\"")));
  EXPECT_THAT(message({{"first", first}, {"second", first}}), HasSubstr("\"second\", which is not trained"));
  EXPECT_THAT(message({{"first", first}, {"first", first}}), HasSubstr("\"first\" twice"));
  for (const Tensor& other : {Tensor({2}, {1.0f, 1.0f}), Tensor({1, 2}, {1, 1})}) {
    EXPECT_THAT(message_of<ShapeError>([&] {
                  trainer.apply_gradients({.loss = 0, .by_parameter = {{"first", other}}});
                }),
                AllOf(HasSubstr("gradient of first"), HasSubstr("expected  float32[1, 2]")));
  }
  EXPECT_EQ(trainer.steps(), 0);
  trainer.apply_gradients({.loss = 0, .by_parameter = {{"first", first}}});
  EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(0.5f, -1.5f));
}

TEST(ApplyGradients, NeedsWeights) {
  const PlaneTask task;
  Trainer trainer(kernels(), task, kOfPlane);
  EXPECT_THAT(message_of<UsageError>([&] {
                trainer.apply_gradients(gradients_of_plane({1, 1}, {1, 1}));
              }),
              HasSubstr("a batch before"));
}

TEST(ApplyGradients, ResumesToTheBit) {
  const TemporaryFolder folder;
  const PlaneTask task;
  const TrainingOptions options{.learning_rate = 0.1, .lr_scheduler_type = "linear", .total_steps = 3};
  Trainer whole = plane_trainer(task, options);
  whole.apply_gradients(gradients_of_plane({1, 2}, {3, 4}));
  whole.apply_gradients(gradients_of_plane({-2, 1}, {1, 0}));
  whole.save_checkpoint(folder / "saved");
  whole.apply_gradients(gradients_of_plane({0, 1}, {2, 0}));

  const PlaneTask saved(folder / "saved");
  Trainer second(kernels(), saved, options);
  second.resume(folder / "saved");
  second.load(plane_batch());
  EXPECT_EQ(second.apply_gradients(gradients_of_plane({0, 1}, {2, 0})).step(), 3);
  EXPECT_TRUE(state_of(second) == state_of(whole));
}

TEST(ApplyGradients, OfProcessesMustBeTheSame) {
  const PlaneTask task;
  std::array<std::string, 2> messages;
  in_processes(2, [&](ProcessGroup& group) {
    const std::shared_ptr<ProcessGroup> processes(std::shared_ptr<void>(), &group);
    const Device device({.mesh = {.data = 2}, .use_cache = false, .processes = processes});
    Trainer trainer(device, task, kOfPlane);
    trainer.load(plane_batch());
    trainer.apply_gradients(gradients_of_plane({4, 0}, {0, -3}));
    EXPECT_THAT(floats_of(trainer.weight("first")), ElementsAre(-1, -1));
    const auto own = static_cast<float>(group.rank());
    messages[static_cast<size_t>(group.rank())] = message_of<DataError>([&] {
      trainer.apply_gradients(gradients_of_plane({own, 0}, {0, 0}));
    });
  });
  for (const std::string& message : messages) EXPECT_THAT(message, HasSubstr("process 1 and process 0"));
}

// The program has the arrays that its callers put.
TEST(UpdateProgram, HasTheLossAndAGradientOfEachParameter) {
  const std::vector<nn::Parameter> parameters{
      {.name = "w", .value = parameter("w", {DType::kFloat32, {4, 2}}), .initializer = {}},
      {.name = "b", .value = parameter("b", {DType::kFloat32, {2}}), .initializer = {}, .trainable = false}};
  const train::StepProgram program = train::update_program(parameters, {});
  EXPECT_FALSE(program.layout.draws());
  EXPECT_EQ(program.function.parameters.size(), program.layout.arguments());
  const train::Signature signature = train::signature_of_gradients(parameters);
  ASSERT_EQ(signature.size(), 2);
  for (const auto& [name, type] : signature) {
    EXPECT_EQ(program.function.parameters[program.layout.batch(name)].type(), type) << name;
  }
}

}  // namespace
}  // namespace portatune::test
