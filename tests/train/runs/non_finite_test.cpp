// Steps with a non-finite loss or gradient: their effects, and their reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "portatune/train/program/progress.h"
#include "train/plane_task.h"
#include "train/renew_manifest.h"
#include "train/state_of.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TrainingOptions options(OnNonFinite then) {
  return {.learning_rate = 0.01, .lr_scheduler_type = "constant", .weight_decay = 0.1, .on_non_finite = then};
}

// Pairs of devices along data and tensor; those along tensor work on the same rows.
const Device& pairs_of_devices() {
  static const Device device({.mesh = {.data = 2, .tensor = 2}, .cache_folder = program_cache()});
  return device;
}

std::string state_after(const Device& device, const data::Dataset& batches, OnNonFinite then = OnNonFinite::kSkip) {
  const PlaneTask task;
  Trainer trainer(device, task, options(then));
  trainer.fit(batches, {.num_train_epochs = 1});
  return state_of(trainer);
}

struct Skips final : Callback {
  std::vector<int64_t> steps, skipped;
  std::vector<std::string> rows;
  std::vector<double> epoch_losses;

  void on_step(const StepResult& result, int64_t) override { steps.push_back(result.step()); }
  void on_skip(const StepResult& result, const std::vector<data::Origin>& origins) override {
    skipped.push_back(result.step());
    rows.push_back(to_string(origins));
  }
  void on_epoch_end(double, double mean_loss, const Scores&) override { epoch_losses.push_back(mean_loss); }
};

TEST(SkippedStep, EqualsARunWithoutThatBatch) {
  const std::string wanted = state_after(kernels(), plane_batches(6, {}, {1, 4}));
  EXPECT_EQ(state_after(kernels(), plane_batches(6, {.x = {1}, .z = {4}})), wanted);
  EXPECT_EQ(state_after(pairs_of_devices(), plane_batches(6, {.x = {1}, .z = {4}})),
            state_after(pairs_of_devices(), plane_batches(6, {}, {1, 4})));
}

TEST(SkippedStep, IsCountedAndReportedWithItsRows) {
  const PlaneTask task;
  Trainer trainer(kernels(), task, options(OnNonFinite::kSkip));
  Skips skips;
  const FitResult result =
      trainer.fit(plane_batches(6, {.x = {1}, .z = {4}}), {.num_train_epochs = 1, .callback = &skips});
  EXPECT_EQ(result.steps, 6);
  EXPECT_EQ(result.skipped_steps, 2);
  EXPECT_THAT(skips.steps, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(skips.skipped, ElementsAre(2, 5));
  EXPECT_THAT(skips.rows, ElementsAre("example 2, 3", "example 8, 9"));
  ASSERT_EQ(skips.epoch_losses.size(), 1u);
  EXPECT_TRUE(std::isfinite(skips.epoch_losses[0]));
}

// The loss of such an epoch has no weight, but its end must be reported.
TEST(SkippedStep, EpochOfSkippedStepsEndsAfterAStopInItsValidation) {
  const PlaneTask task;
  Trainer trainer(kernels(), task, options(OnNonFinite::kSkip));
  int64_t read = 0;
  const data::Dataset validation = plane_batches(1).map([&](data::Example batch) {
    if (++read > 1) throw Stopped();
    return batch;
  });
  Skips skips;
  const data::Dataset batches = plane_batches(2, {.x = {0, 1}});
  EXPECT_TRUE(trainer.fit(batches, {.num_train_epochs = 1, .validation = {{validation}}, .callback = &skips}).stopped);
  EXPECT_EQ(skips.epoch_losses.size(), 0u);
  EXPECT_FALSE(trainer.fit(batches, {.num_train_epochs = 1, .callback = &skips}).stopped);
  EXPECT_EQ(skips.epoch_losses.size(), 1u);
}

TEST(SkippedStep, StopsTrainingIfAllStepsAreSkipped) {
  const PlaneTask task;
  TrainingOptions large = options(OnNonFinite::kSkip);
  large.learning_rate = 3e38;
  large.weight_decay = 1e38;
  Trainer trainer(kernels(), task, large);
  EXPECT_THAT(message_of<NumericError>([&] { trainer.fit(plane_batches(30), {.num_train_epochs = 1}); }),
              AllOf(HasSubstr("a weight that is not finite"), HasSubstr("10 skipped steps in a row")));
  EXPECT_LT(trainer.steps(), 20);
}

TEST(SkippedStep, StopsTrainingAfterManyInARowWithoutACheckpoint) {
  const TemporaryFolder folder;
  const PlaneTask task;
  TrainingOptions three = options(OnNonFinite::kSkip);
  three.max_skipped_in_a_row = 3;
  Trainer trainer(kernels(), task, three);
  const FitOptions saving{.num_train_epochs = 1, .checkpoints = {.folder = folder.path()}};
  EXPECT_THAT(message_of<NumericError>([&] {
                trainer.fit(plane_batches(9, {.x = {1, 3, 4, 5}}), saving);
              }),
              AllOf(HasSubstr("step 6"), HasSubstr("3 skipped steps in a row"), HasSubstr("example 10, 11"),
                    HasSubstr("max_skipped_in_a_row")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SkippedStep, StopsTrainingAfterManyInTotalWithACheckpoint) {
  const TemporaryFolder folder;
  const PlaneTask task;
  TrainingOptions two = options(OnNonFinite::kSkip);
  two.max_skipped_steps = 2;
  Trainer trainer(kernels(), task, two);
  const data::Dataset batches = plane_batches(9, {.x = {1, 3, 5}});
  const FitOptions saving{.num_train_epochs = 1, .checkpoints = {.folder = folder.path()}};
  EXPECT_THAT(message_of<NumericError>([&] { trainer.fit(batches, saving); }),
              AllOf(HasSubstr("3 skipped steps of 6"), HasSubstr("max_skipped_steps"), HasSubstr("checkpoint-7")));
  const PlaneTask saved(folder / "checkpoint-7");
  Trainer second(kernels(), saved, options(OnNonFinite::kSkip));
  second.resume(folder / "checkpoint-7");
  EXPECT_EQ(second.fit(batches, {.num_train_epochs = 1}).non_finite_steps, 3);
  Trainer whole(kernels(), task, options(OnNonFinite::kSkip));
  whole.fit(batches, {.num_train_epochs = 1});
  EXPECT_EQ(state_of(second), state_of(whole));
}

// The weights are finite, but too large for any finite loss: evaluate would refuse them.
TEST(SkippedStep, SavesNoModelWithInfiniteLosses) {
  const TemporaryFolder folder;
  const PlaneTask task;
  TrainingOptions large = options(OnNonFinite::kSkip);
  large.learning_rate = 1e38;
  large.weight_decay = 0;
  Trainer trainer(kernels(), task, large);
  const FitOptions saving{.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 3}};
  EXPECT_THAT(message_of<NumericError>([&] { trainer.fit(plane_batches(5), saving); }),
              AllOf(HasSubstr("no step after step 1 updated the weights"), HasSubstr("finite before, is not finite")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A checkpoint between two bad batches has the weights, and the number of updates.
TEST(SkippedStep, ResumesToTheBit) {
  const data::Dataset batches = plane_batches(6, {.x = {1}, .z = {4}});
  const TemporaryFolder folder;
  const PlaneTask task;
  Trainer whole(kernels(), task, options(OnNonFinite::kSkip));
  whole.fit(batches, {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 3}});

  const PlaneTask saved(folder / "checkpoint-3");
  Trainer second(kernels(), saved, options(OnNonFinite::kSkip));
  second.resume(folder / "checkpoint-3");
  EXPECT_EQ(second.fit(batches, {.num_train_epochs = 1}).skipped_steps, 2);
  EXPECT_EQ(state_of(second), state_of(whole));
}

// Expected: torch.optim.AdamW under a GradScaler, which skips steps without counting them in the bias correction.
TEST(SkippedStep, EqualsTorch) {
  const nlohmann::json torch =
      nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/curves/skipped_steps.json"))["adamw"];
  const PlaneTask task;
  TrainingOptions as_torch = options(OnNonFinite::kSkip);
  as_torch.learning_rate = torch["lr"];
  as_torch.weight_decay = torch["weight_decay"];
  as_torch.max_grad_norm = 0;
  Trainer trainer(kernels(), task, as_torch);
  for (size_t i = 0; i < torch["gradients"].size(); ++i) {
    const nlohmann::json& gradient = torch["gradients"][i];
    const bool overflows = gradient.is_null();
    data::Example batch;
    batch.set("x", overflows ? Tensor({1, 2}, {kInfinity, 1.0f})
                             : Tensor({1, 2}, {gradient[0].get<float>(), gradient[1].get<float>()}));
    batch.set("up", Tensor({1}, {1.0f})).set("down", Tensor({1}, {1.0f}));
    batch.set("z", Tensor({1, 2}, {1.0f, 1.0f})).set(data::kExampleWeight, Tensor({1}, {1.0f}));
    EXPECT_EQ(trainer.step(batch).skipped(), overflows) << i;
    const TemporaryFolder folder;
    trainer.save(folder / "model");
    const io::SafetensorsFile file = io::SafetensorsFile::open(folder / "model" / "model.safetensors");
    const std::vector<float> first = to_floats(*file.find("first"));
    for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(first[k], torch["after"][i][k].get<float>(), 2e-6) << i;
  }
}

// ---- stop

TEST(Stop, NamesStepRowsAndFirstNonFiniteTensor) {
  const PlaneTask task;
  const auto message = [&](const Device& device, const Bad& bad) {
    Trainer trainer(device, task, options(OnNonFinite::kStop));
    return message_of<NumericError>([&] { trainer.fit(plane_batches(6, bad), {.num_train_epochs = 1}); });
  };
  for (const Device* device : {&kernels(), &pairs_of_devices()}) {
    EXPECT_THAT(message(*device, {.x = {2}}),
                AllOf(HasSubstr("step 3"), HasSubstr("example 4, 5;"), HasSubstr("\"x\" of the batch")));
    EXPECT_THAT(message(*device, {.z = {2}}), AllOf(HasSubstr("step 3"), HasSubstr("the gradient of second")));
  }
}

TEST(Stop, NamesTheLossOrAWeight) {
  const PlaneTask task;
  const auto message = [&](float x, double learning_rate, double weight_decay) {
    TrainingOptions large = options(OnNonFinite::kStop);
    large.learning_rate = learning_rate;
    large.weight_decay = weight_decay;
    Trainer trainer(kernels(), task, large);
    const data::Dataset batches = plane_batches(3).map([x](data::Example batch) {
      batch.set("x", Tensor({2, 2}, {x, 1.0f, x, 1.0f}));
      return batch;
    });
    return message_of<NumericError>([&] { trainer.fit(batches, {.num_train_epochs = 1}); });
  };
  EXPECT_THAT(message(3e38f, 0.01, 0), HasSubstr("first non-finite value: the loss"));
  EXPECT_THAT(message(1, 3e38, 1e38), HasSubstr("the weight first, before the step"));
}

// Step 4 has been started before the result of step 3 is read.
TEST(Stop, RestoresTheStateBeforeTheStep) {
  const PlaneTask task;
  for (const Device* device : {&kernels(), &pairs_of_devices()}) {
    const TemporaryFolder folder;
    const data::Dataset batches = plane_batches(6, {.z = {2}});
    Trainer trainer(*device, task, options(OnNonFinite::kStop));
    EXPECT_THAT(message_of<NumericError>(
                    [&] { trainer.fit(batches, {.num_train_epochs = 1, .checkpoints = {.folder = folder.path()}}); }),
                HasSubstr((folder / "checkpoint-2").string()));
    EXPECT_EQ(trainer.steps(), 2);
    EXPECT_EQ(state_of(trainer), state_after(*device, plane_batches(2)));

    const PlaneTask saved(folder / "checkpoint-2");
    Trainer second(*device, saved, options(OnNonFinite::kSkip));
    second.resume(folder / "checkpoint-2");
    const FitResult result = second.fit(batches, {.num_train_epochs = 1});
    EXPECT_EQ(result.steps, 6);
    EXPECT_EQ(result.skipped_steps, 1);
    EXPECT_EQ(state_of(second), state_after(*device, batches));
  }
}

TEST(Stop, StopsACustomLoop) {
  const PlaneTask task;
  Trainer trainer(kernels(), task, options(OnNonFinite::kStop));
  std::vector<bool> finite;
  for (const data::Example& batch : plane_batches(5, {.z = {2}}).iterate()) {
    finite.push_back(std::isfinite(trainer.step(batch).loss()));
  }
  EXPECT_THAT(finite, ElementsAre(true, true, true, false, false));  // step 3: only the gradient is not finite
  EXPECT_EQ(state_of(trainer), state_after(kernels(), plane_batches(2)));
  // A checkpoint does not count void steps either.
  const TemporaryFolder folder;
  trainer.save_checkpoint(folder / "saved");
  const PlaneTask saved(folder / "saved");
  Trainer second(kernels(), saved, options(OnNonFinite::kSkip));
  second.resume(folder / "saved");
  EXPECT_EQ(second.steps(), 2);
}

// ---- rewind

struct RecordedRewinds final : Callback {
  std::vector<std::string> rewinds;
  void on_rewind(const StepResult& result, const std::vector<data::Origin>& rows,
                 const std::filesystem::path& checkpoint) override {
    rewinds.push_back(std::to_string(result.step()) + " to " + checkpoint.filename().string() + ": " + to_string(rows));
  }
};

struct Rewound {
  FitResult result;
  std::string state;
  std::vector<std::string> rewinds;
};

// Trains on these batches with a checkpoint every `every` steps.
Rewound rewound(const Device& device, const data::Dataset& batches, int64_t every, TrainingOptions with) {
  const TemporaryFolder folder;
  const PlaneTask task;
  Trainer trainer(device, task, with);
  RecordedRewinds recorded;
  const FitResult result = trainer.fit(batches, {.num_train_epochs = 1,
                                                 .checkpoints = {.folder = folder / "run", .every = every, .keep = 1},
                                                 .callback = &recorded});
  return {result, state_of(trainer), recorded.rewinds};
}

TEST(Rewind, EqualsARunWithoutTheBatchesSinceTheCheckpoint) {
  for (const Device* device : {&kernels(), &pairs_of_devices()}) {
    // The fault is found after the next step has started; and before a checkpoint, with the last one three steps back.
    for (const auto& [bad, without] :
         {std::pair<Bad, std::set<int64_t>>({.z = {4}}, {3, 4}), {{.x = {5}}, {3, 4, 5}}}) {
      const Rewound found = rewound(*device, plane_batches(9, bad), 3, options(OnNonFinite::kRewind));
      EXPECT_EQ(found.state, state_after(*device, plane_batches(9, {}, without)));
      EXPECT_EQ(found.result.steps, 9);
      EXPECT_EQ(found.result.rewinds, 1);
      EXPECT_EQ(found.result.skipped_steps, std::ssize(without));
    }
  }
}

TEST(Rewind, IsReportedWithItsRowsAndCheckpoint) {
  EXPECT_THAT(rewound(kernels(), plane_batches(9, {.x = {1}, .z = {5}}), 4, options(OnNonFinite::kRewind)).rewinds,
              ElementsAre("2 to : example 2, 3", "6 to checkpoint-4: example 10, 11"));
}

TEST(Rewind, RestoresTheStartWithoutACheckpoint) {
  const Rewound found = rewound(kernels(), plane_batches(6, {.z = {2}}), 5, options(OnNonFinite::kRewind));
  EXPECT_EQ(found.state, state_after(kernels(), plane_batches(6, {}, {0, 1, 2})));
}

TEST(Rewind, WorksWithMicroBatches) {
  TrainingOptions in_two = options(OnNonFinite::kRewind), skipping = options(OnNonFinite::kSkip);
  in_two.gradient_accumulation_steps = skipping.gradient_accumulation_steps = 2;
  EXPECT_EQ(rewound(kernels(), plane_batches(6, {.x = {4}}), 3, in_two).state,
            rewound(kernels(), plane_batches(6, {}, {3, 4}), 3, skipping).state);
}

TEST(Rewind, StopsTrainingAfterThreeWithoutASavedUpdate) {
  const auto message = [&](int64_t every) {
    return message_of<NumericError>([&] {
      rewound(kernels(), plane_batches(10, {.x = {1, 3, 5, 7, 9}}), every, options(OnNonFinite::kRewind));
    });
  };
  EXPECT_THAT(message(50), AllOf(HasSubstr("step 8, after 3 rewinds"), HasSubstr("example 14, 15")));
  EXPECT_THAT(message(2), HasSubstr("step 8, after 3 rewinds"));  // each checkpoint has the initial state
  const Rewound kept =
      rewound(kernels(), plane_batches(15, {.x = {1, 4, 7, 10, 13}}), 3, options(OnNonFinite::kRewind));
  EXPECT_EQ(kept.result.rewinds, 5);
  EXPECT_EQ(kept.result.steps, 15);
}

TEST(Rewind, ResumesToTheBit) {
  const data::Dataset batches = plane_batches(12, {.x = {4}, .z = {7, 10}});
  const TemporaryFolder folder;
  const PlaneTask task;
  Trainer whole(kernels(), task, options(OnNonFinite::kRewind));
  const CheckpointOptions checkpoints{.folder = folder / "whole", .every = 3, .keep = 9};
  EXPECT_EQ(whole.fit(batches, {.num_train_epochs = 1, .checkpoints = checkpoints}).rewinds, 3);
  // The checkpoints lie before a batch that causes a rewind to them, and between two others.
  for (const char* from : {"checkpoint-3", "checkpoint-6", "checkpoint-9"}) {
    const PlaneTask saved(folder / "whole" / from);
    Trainer second(kernels(), saved, options(OnNonFinite::kRewind));
    second.resume(folder / "whole" / from);
    const FitResult result =
        second.fit(batches, {.num_train_epochs = 1, .checkpoints = {.folder = folder / from, .every = 3}});
    EXPECT_EQ(result.rewinds, 3) << from;
    EXPECT_EQ(state_of(second), state_of(whole)) << from;
  }
}

using Damage = std::function<void(const std::filesystem::path& checkpoint)>;

std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder)] = text_of(entry.path());
  }
  return files;
}

// Damages each new checkpoint, with or without renewing its manifest, and records the remaining files.
struct Damages final : Callback {
  explicit Damages(Damage damage, bool is_noticed = false) : damage(std::move(damage)), is_noticed(is_noticed) {}
  void on_checkpoint(const std::filesystem::path& path) override {
    damage(path);
    if (!is_noticed) renew_manifest(path);
    left = files_in(path.parent_path());
  }
  const Damage damage;
  const bool is_noticed;
  std::map<std::string, std::string> left;
};

// The checksums show the damage before anything is restored.
TEST(Rewind, KeepsTheWeightsIfTheCheckpointIsDamaged) {
  const auto flip = [](const std::filesystem::path& checkpoint) { flip_a_bit(checkpoint / "optimizer.safetensors"); };
  const TemporaryFolder folder;
  const PlaneTask task;
  Trainer trainer(kernels(), task, options(OnNonFinite::kRewind));
  Damages callback(flip, true);
  const data::Dataset batches = plane_batches(6, {.z = {4}});
  EXPECT_THAT(message_of<CheckpointError>([&] {
                trainer.fit(batches, {.num_train_epochs = 1,
                                      .checkpoints = {.folder = folder / "run", .every = 3},
                                      .callback = &callback});
              }),
              AllOf(HasSubstr((folder / "run" / "checkpoint-3" / "optimizer.safetensors").string()),
                    HasSubstr("damaged data"), HasSubstr("rewind after step 5, which is not finite")));
  EXPECT_EQ(state_of(trainer), state_after(kernels(), plane_batches(4)));
}

// A state between two others is never saved or used.
TEST(Rewind, StopsTrainingAndSavesNothingIfItFailsHalfway) {
  const auto cut = [](const char* file) {
    return [file](const std::filesystem::path& checkpoint) {
      std::filesystem::resize_file(checkpoint / file, std::filesystem::file_size(checkpoint / file) - 4);
    };
  };
  // The first tensor is valid, the second has another shape.
  const auto reshape = [](const std::filesystem::path& checkpoint) {
    std::filesystem::remove(checkpoint / "model.safetensors");
    const Tensor first({1, 2}, {5.0f, 5.0f}), second({3}, {5.0f, 5.0f, 5.0f});
    const std::vector<NamedTensorView> tensors = {{"first", first.view()}, {"second", second.view()}};
    io::write_safetensors(checkpoint / "model.safetensors", tensors);
  };
  const auto remove = [](const std::filesystem::path& checkpoint) {
    std::filesystem::remove(checkpoint / "optimizer.safetensors");
  };
  const PlaneTask task;
  const data::Dataset batches = plane_batches(6, {.z = {4}});
  for (const auto& [damage, file] : {std::pair<Damage, const char*>(reshape, "model.safetensors, tensor second"),
                                     {cut("model.safetensors"), "model.safetensors"},
                                     {cut("optimizer.safetensors"), "optimizer.safetensors"},
                                     {remove, "optimizer.safetensors"}}) {
    const TemporaryFolder folder;
    Trainer trainer(kernels(), task, options(OnNonFinite::kRewind));
    Damages callback(damage);
    const std::string message = message_of<Error>([&] {
      trainer.fit(
          batches,
          {.num_train_epochs = 1, .checkpoints = {.folder = folder / "run", .every = 3}, .callback = &callback});
    });
    EXPECT_THAT(message, AllOf(HasSubstr((folder / "run" / "checkpoint-3").string()), HasSubstr(file),
                               HasSubstr("rewind after step 5, which is not finite")));
    EXPECT_FALSE(callback.left.empty());
    EXPECT_EQ(files_in(folder / "run"), callback.left);
    for (const std::function<void()>& use : std::vector<std::function<void()>>{
             [&] { trainer.save(folder / "saved"); }, [&] { trainer.save_checkpoint(folder / "saved"); },
             [&] { trainer.step(*batches.iterate().next()); }, [&] { trainer.evaluate(batches); }}) {
      EXPECT_THAT(message_of<UsageError>(use), AllOf(HasSubstr("by a failed rewind"), HasSubstr("checkpoint-3")));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "saved"));
  }
}

// The second of two processes, which takes the bad rows. The first does the same, but sends another value after
// `exchanges_until_lie` exchanges.
class WithATwin final : public ProcessGroup {
 public:
  int64_t rank() const override { return 1; }
  int64_t size() const override { return 2; }
  using ProcessGroup::all_gather;
  void all_gather(Members, std::span<const std::byte> part, std::span<std::byte> whole) override {
    std::ranges::copy(part, std::ranges::copy(part, whole.begin()).out);
    if (exchanges_until_lie >= 0 && exchanges_until_lie-- == 0) whole.front() ^= std::byte{1};
  }
  void all_reduce(Members, std::span<const float> x, std::span<float> sum) override {
    std::ranges::transform(x, sum.begin(), [](float of_each) { return 2 * of_each; });
  }
  void reduce_scatter(Members, std::span<const float> x, std::span<float> part) override {
    all_reduce({}, x.last(part.size()), part);
  }
  std::shared_ptr<KeyValueStore> store() override { return nullptr; }
  std::shared_ptr<ProcessGroup> duplicate() override { return std::make_shared<WithATwin>(); }
  void abort(int) override { std::abort(); }

  int exchanges_until_lie = -1;
};

// Lets the twin send another value after a non-finite step.
struct LieInRewind final : Callback {
  LieInRewind(WithATwin& group, int exchanges) : group(group), exchanges(exchanges) {}
  void on_step(const StepResult& result, int64_t) override {
    if (result.skipped()) group.exchanges_until_lie = exchanges;
  }
  WithATwin& group;
  const int exchanges;
};

TEST(Rewind, ComparesRestoredStatesOfProcesses) {
  const Mesh mesh{.data = 2};
  TrainingOptions rewinding = options(OnNonFinite::kRewind);
  rewinding.allow_different_bits = true;  // one process writes the checkpoint, and several resume it
  const data::Dataset batches = plane_batches(6, {.z = {4}});
  const TemporaryFolder folder;
  const std::filesystem::path checkpoint = folder / "alone" / "checkpoint-3";
  {
    const PlaneTask task;
    const Device alone({.mesh = mesh, .use_cache = false});
    Trainer trainer(alone, task, rewinding);
    trainer.fit(batches, {.num_train_epochs = 1, .checkpoints = {.folder = folder / "alone", .every = 3}});
  }
  const auto group = std::make_shared<WithATwin>();
  const Device device({.mesh = mesh, .use_cache = false, .processes = group});
  const auto message = [&](const std::filesystem::path& from, int exchanges) {
    const PlaneTask task(from);
    Trainer trainer(device, task, rewinding);
    if (!from.empty()) trainer.resume(from);
    LieInRewind lie(*group, exchanges);
    const std::string error = message_of<CheckpointError>([&] {
      trainer.fit(
          batches,
          {.num_train_epochs = 1, .checkpoints = {.folder = folder / "together", .every = 50}, .callback = &lie});
    });
    EXPECT_EQ(group->exchanges_until_lie, -1);
    EXPECT_THAT(message_of<UsageError>([&] { trainer.save(folder / "saved"); }), HasSubstr("by a failed rewind"));
    return error;
  };
  EXPECT_THAT(message({}, 0), AllOf(HasSubstr("process 1"), HasSubstr("weights other than those of process 0")));
  EXPECT_THAT(message(checkpoint, 0), HasSubstr("weights other than those of process 0"));
  EXPECT_THAT(message(checkpoint, 1), HasSubstr("optimizer slots other than those of process 0"));
}

TEST(Rewind, NeedsCheckpoints) {
  const PlaneTask task;
  Trainer trainer(kernels(), task, options(OnNonFinite::kRewind));
  EXPECT_THAT(message_of<UsageError>([&] { trainer.fit(plane_batches(3), {.num_train_epochs = 1}); }),
              AllOf(HasSubstr("on_non_finite"), HasSubstr("checkpoint_every")));
}

// ---- loss scaling

// A step of a run whose gradients overflow on request.
class Scaling {
 public:
  explicit Scaling(OnNonFinite then) {
    const Value loss = parameter("loss", {DType::kFloat32, {}}), norm = parameter("norm", loss.type());
    const train::ProgressValues now = train::progress_parameters();
    const train::Verdict verdict = train::judge(now, loss, norm, DType::kFloat16, then);
    program_.emplace(decompositions().compile({.parameters = {now.counters, now.loss_scale, loss, norm},
                                               .results = {verdict.next.counters, verdict.next.loss_scale}}));
    set(train::first_progress(DType::kFloat16));
  }

  void set(const train::Progress& progress) { arrays_ = train::put(decompositions(), progress); }
  train::Progress step(float loss, float norm) {
    DeviceArray given_loss = decompositions().put(Tensor({}, {loss})),
                given_norm = decompositions().put(Tensor({}, {norm}));
    arrays_ = program_->run({&arrays_[0], &arrays_[1], &given_loss, &given_norm});
    return train::progress_of(arrays_);
  }

 private:
  std::optional<Program> program_;
  std::vector<DeviceArray> arrays_;
};

TEST(LossScale, EqualsTorchStepByStep) {
  const nlohmann::json torch =
      nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/curves/skipped_steps.json"))["scale"];
  const auto overflows = torch["overflows"].get<std::set<int64_t>>();
  std::map<int64_t, double> changes;
  for (const auto& change : torch["changes"]) changes[change[0]] = change[1];
  Scaling scaling(OnNonFinite::kStop);
  double scale = 65536;
  for (int64_t step = 1; step <= torch["steps"].get<int64_t>(); ++step) {
    if (const auto change = changes.find(step); change != changes.end()) scale = change->second;
    ASSERT_EQ(scaling.step(1, overflows.contains(step) ? kInfinity : 1).loss_scale, scale) << "after step " << step;
  }
}

TEST(LossScale, StopsTrainingAtItsMinimum) {
  Scaling stop(OnNonFinite::kStop), skip(OnNonFinite::kSkip);
  for (Scaling* scaling : {&stop, &skip}) {
    scaling->set({.updates = 7, .good_steps = 3, .loss_scale = 2});
    EXPECT_EQ(scaling->step(1, NAN).loss_scale, 1);  // one more attempt
    EXPECT_EQ(scaling->step(1, kInfinity).loss_scale, 1);
  }
  EXPECT_EQ(stop.step(1, 1).updates, 7);  // no further update
  EXPECT_EQ(skip.step(1, 1).updates, 8);
}

TEST(LossScale, CannotRepairANonFiniteLoss) {
  Scaling stop(OnNonFinite::kStop);
  EXPECT_EQ(stop.step(NAN, NAN).loss_scale, 65536);
  EXPECT_EQ(stop.step(1, 1).updates, 0);
}

}  // namespace
}  // namespace portatune::test
