// Checkpoints that are written during training.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "runtime/processes/thread_group.h"
#include "train/plane_task.h"

namespace {

constexpr int64_t kLarge = 1 << 20;  // bytes
const std::thread::id kMainThread = std::this_thread::get_id();
std::atomic<bool> next_large_array_elsewhere_fails = false;  // on another thread than the main one

}  // namespace

// Replaces the function of libc that allocates tensors.
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  const bool may_fail = size >= kLarge && std::this_thread::get_id() != kMainThread;
  if (may_fail && next_large_array_elsewhere_fails.exchange(false)) return nullptr;
  return memalign(alignment, size);
}

namespace portatune::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

// Calls a function of the test when it is saved.
class SavedTask final : public PlaneTask {
 public:
  explicit SavedTask(std::function<void()> when_saved) : when_saved_(std::move(when_saved)) {}
  void save(const fs::path&) const override { when_saved_(); }

 private:
  const std::function<void()> when_saved_;
};

// Records events, and calls a function of the test after each step.
struct Log final : Callback {
  std::function<void(int64_t step)> after_step = [](int64_t) {};
  int64_t stop_after = 1000;
  int64_t steps = 0;
  std::vector<std::string> checkpoints, warnings;
  std::vector<int64_t> steps_at_checkpoints;

  void on_step(const StepResult& result, int64_t) override {
    stop_after -= 1;
    steps = result.step();
    after_step(result.step());
  }
  void on_checkpoint(const fs::path& folder) override {
    checkpoints.push_back(folder.filename());
    steps_at_checkpoints.push_back(steps);
  }
  void on_warning(const std::string& what) override { warnings.push_back(what); }
  bool should_stop() override { return stop_after <= 1; }  // one more step is running
};

TEST(BackgroundSave, KeepsTheStateOfItsStep) {
  const TemporaryFolder folder;
  std::promise<void> made_two_more;
  const SavedTask task([&, made = made_two_more.get_future().share()] {
    EXPECT_EQ(made.wait_for(60s), std::future_status::ready) << "no step is made during the save";
  });
  Log log;
  log.after_step = [&](int64_t step) {
    if (step == 5) made_two_more.set_value();
  };
  Trainer trainer(kernels(), task, {});
  trainer.fit(
      plane_batches(6),
      {.num_train_epochs = 1, .checkpoints = {.folder = folder / "run", .every = 3, .keep = 9}, .callback = &log});
  EXPECT_THAT(log.checkpoints, ElementsAre("checkpoint-3", "checkpoint-6"));

  Log stopped;
  stopped.stop_after = 3;
  const PlaneTask same;
  Trainer other(kernels(), same, {});
  ASSERT_EQ(other.fit(plane_batches(6), {.num_train_epochs = 1, .callback = &stopped}).steps, 3);
  other.save_checkpoint(folder / "wanted");
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "training_state.json", "data_state.json"}) {
    EXPECT_EQ(text_of(folder / "run" / "checkpoint-3" / file), text_of(folder / "wanted" / file)) << file;
  }
}

TEST(BackgroundSave, IsCompleteWhenFitReturns) {
  const TemporaryFolder folder;
  std::atomic<int> saves = 0, at_once = 0;
  const SavedTask task([&] {
    EXPECT_EQ(++at_once, 1);
    // The older one exists until this one is in place.
    const std::string before = "checkpoint-" + std::to_string(saves);
    if (saves++ > 0) {
      EXPECT_TRUE(fs::exists(folder / before / "training_state.json"));
    }
    std::this_thread::sleep_for(20ms);
    --at_once;
  });
  Log log;
  Trainer trainer(kernels(), task, {});
  trainer.fit(
      plane_batches(4),
      {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 1, .keep = 1}, .callback = &log});
  EXPECT_THAT(log.checkpoints, ElementsAre("checkpoint-1", "checkpoint-2", "checkpoint-3", "checkpoint-4"));
  EXPECT_FALSE(fs::exists(folder / "checkpoint-3"));
  train::verify_checkpoint(folder / "checkpoint-4");
}

TEST(BackgroundSave, ReportsAFailure) {
  const SavedTask task([] { throw IoError({.where = "the disk", .given = "no space", .expected = {}, .fix = {}}); });
  for (const int64_t every : {2, 4}) {  // during training, and after its last step
    const TemporaryFolder folder;
    Log log;
    Trainer trainer(kernels(), task, {});
    std::string message;
    try {
      trainer.fit(plane_batches(4),
                  {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = every}, .callback = &log});
      message = log.warnings.at(0);
    } catch (const IoError& error) {
      message = error.what();
      EXPECT_EQ(every, 2) << "the model can still be saved";
    }
    EXPECT_THAT(message, HasSubstr("no space"));
    EXPECT_TRUE(log.checkpoints.empty());
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

// Weights and moments are arrays of a megabyte, beside small ones.
class WideTask final : public PlaneTask {
 public:
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    Forward forward = PlaneTask::forward(root, batch);
    forward.loss_sum = forward.loss_sum + sum(root.parameter("wide", {kLarge / 4}, {}));
    return forward;
  }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override {
    InitialWeights weights = PlaneTask::initial_weights(parameters.first(2), seed);
    weights.values.emplace_back(parameters[2].type);
    return weights;
  }
};

TEST(BackgroundSave, PrecedesTheNextStepIfMemoryIsShort) {
  const TemporaryFolder folder;
  const WideTask task;
  Log log;
  log.after_step = [&](int64_t) { next_large_array_elsewhere_fails = true; };
  Trainer trainer(kernels(), task, {});
  trainer.fit(plane_batches(1),
              {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 1}, .callback = &log});
  EXPECT_FALSE(next_large_array_elsewhere_fails);
  EXPECT_THAT(log.warnings, ElementsAre());
  train::verify_checkpoint(folder / "checkpoint-1");
}

TEST(BackgroundSave, IsCompleteWhenAnErrorStopsTraining) {
  const TemporaryFolder folder;
  const SavedTask task([] { std::this_thread::sleep_for(50ms); });
  Log log;
  log.after_step = [](int64_t step) {
    if (step == 4) throw std::runtime_error("the error");
  };
  Trainer trainer(kernels(), task, {});
  EXPECT_THROW(
      trainer.fit(plane_batches(6),
                  {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 3}, .callback = &log}),
      std::runtime_error);
  train::verify_checkpoint(folder / "checkpoint-3");
}

TEST(BackgroundSave, IsCompleteBeforeARewind) {
  const TemporaryFolder folder;
  const SavedTask task([] { std::this_thread::sleep_for(50ms); });
  Log log;
  Trainer trainer(kernels(), task, {.lr_scheduler_type = "constant", .on_non_finite = OnNonFinite::kRewind});
  const FitResult result = trainer.fit(
      plane_batches(6, {.z = {3}}),
      {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 3, .keep = 9}, .callback = &log});
  EXPECT_EQ(result.rewinds, 1);
  trainer.save_checkpoint(folder / "found");
  // Equals a run without the batch.
  const PlaneTask same;
  Trainer other(kernels(), same, {.lr_scheduler_type = "constant"});
  other.fit(plane_batches(6, {}, {3}), {.num_train_epochs = 1, .steps_per_epoch = 5});
  other.save_checkpoint(folder / "wanted");
  EXPECT_EQ(text_of(folder / "found" / "model.safetensors"), text_of(folder / "wanted" / "model.safetensors"));
}

// Trains in two processes, each of which is a thread. Returns their logs.
std::array<Log, 2> fit_in_two(
    const Mesh& mesh, const Task& task, const fs::path& folder, const Log& log,
    const std::function<void(Trainer&)>& at_the_end = [](Trainer&) {}) {
  std::array<Log, 2> logs = {log, log};
  in_processes(2, [&](ProcessGroup& group) {
    const std::shared_ptr<ProcessGroup> processes(std::shared_ptr<void>(), &group);
    const Device device({.mesh = mesh, .use_cache = false, .processes = processes});
    Log& own = logs[static_cast<size_t>(group.rank())];
    try {
      Trainer trainer(device, task, {});
      trainer.fit(plane_batches(6),
                  {.num_train_epochs = 1, .checkpoints = {.folder = folder, .every = 3, .keep = 9}, .callback = &own});
      at_the_end(trainer);
    } catch (const std::exception& error) {
      own.warnings.push_back(error.what());
    }
  });
  return logs;
}

TEST(BackgroundSaveOfTwoProcesses, KeepsTheStateOfItsStep) {
  for (const Mesh& mesh : {Mesh{.data = 2}, Mesh{.fsdp = 2}}) {
    const TemporaryFolder folder;
    std::barrier<> both_made_two_more(3);
    std::promise<void> made;
    std::jthread waiter([&] {
      both_made_two_more.arrive_and_wait();
      made.set_value();
    });
    const SavedTask task([&, is_made = made.get_future().share(), saves = std::make_shared<std::atomic<int>>(0)] {
      if ((*saves)++ > 0) return;
      EXPECT_EQ(is_made.wait_for(60s), std::future_status::ready) << "no step is made during the save";
    });
    Log log;
    log.after_step = [&](int64_t step) {
      if (step == 5) both_made_two_more.arrive_and_wait();
    };
    const std::array<Log, 2> logs = fit_in_two(mesh, task, folder / "run", log);
    for (const Log& of_one : logs) {
      EXPECT_THAT(of_one.warnings, ElementsAre());
      EXPECT_THAT(of_one.checkpoints, ElementsAre("checkpoint-3", "checkpoint-6"));
    }
    EXPECT_EQ(logs[0].steps_at_checkpoints, logs[1].steps_at_checkpoints);

    Log stopped;
    stopped.stop_after = 3;
    const PlaneTask same;
    fit_in_two(mesh, same, folder / "other", stopped,
               [&](Trainer& trainer) { trainer.save_checkpoint(folder / "wanted"); });
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(folder / "wanted")) {
      names.push_back(file.path().filename());
      EXPECT_EQ(text_of(folder / "run" / "checkpoint-3" / names.back()), text_of(file.path())) << names.back();
    }
    EXPECT_THAT(names, IsSupersetOf({"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                                     "optimizer-00002-of-00002.safetensors", "training_state.json"}));
  }
}

TEST(BackgroundSaveOfTwoProcesses, FailsInBothIfItFailsInOne) {
  const TemporaryFolder folder;
  std::atomic<int> saves = 0;
  const SavedTask task([&] {
    if (saves++ == 0) throw IoError({.where = "the disk", .given = "no space", .expected = {}, .fix = {}});
  });
  const std::array<Log, 2> logs = fit_in_two({.fsdp = 2}, task, folder.path(), {});
  EXPECT_THAT(logs[0].warnings, ElementsAre(AllOf(HasSubstr("step 3"), HasSubstr("no space"))));
  EXPECT_THAT(logs[1].warnings, ElementsAre(AllOf(HasSubstr("process 0 of 2, the disk"), HasSubstr("no space"))));
  for (const Log& of_one : logs) EXPECT_THAT(of_one.checkpoints, ElementsAre("checkpoint-6"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace portatune::test
