#include "portatune/run/output/save_model.h"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "io/temporary_folder.h"
#include "portatune/run/fit.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "runtime/processes/thread_group.h"
#include "train/plane_task.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Its first save fails by an exception that is no Error.
class FailingTask final : public test::PlaneTask {
 public:
  void save(const fs::path& folder) const override {
    if (saves_++ == 0) throw fs::filesystem_error("no status", folder, std::make_error_code(std::errc::io_error));
  }

 private:
  mutable std::atomic<int> saves_ = 0;
};

// Simulates another program, whose changes to the output folder during its save could not be kept there.
class TaskOfARest final : public test::PlaneTask {
 public:
  explicit TaskOfARest(fs::path rest) : rest_(std::move(rest)) {}
  void save(const fs::path&) const override { fs::create_directory(rest_); }

 private:
  const fs::path rest_;
};

struct Alerts final : Events {
  void alert(const std::string& text) override { texts.push_back(text); }

  std::vector<std::string> texts;
};

struct Rescues final : Events {
  void resumable(const fs::path& checkpoint, const std::string&) override { checkpoints.push_back(checkpoint); }

  std::vector<fs::path> checkpoints;
};

// Process 0 has this exception, and the others an IoError in its place.
TEST(SaveModel, ProcessesRescueTheStepsTogetherAfterAnyException) {
  const TemporaryFolder folder;
  const FailingTask task;
  std::array<std::string, 2> errors;
  std::array<Rescues, 2> events;
  test::in_processes(2, [&](ProcessGroup& group) {
    const auto rank = static_cast<size_t>(group.rank());
    RunOptions options;
    options.output = folder / "tuned";
    options.device.processes = std::shared_ptr<ProcessGroup>(std::shared_ptr<void>(), &group);
    try {
      const Device device({.mesh = {.data = 2},
                           .plugin = fs::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so",
                           .use_cache = false,
                           .processes = options.device.processes});
      Trainer trainer(device, task, {});
      trainer.fit(test::plane_batches(2), {.num_train_epochs = 1});
      save_model(trainer, trainer.steps(), options, events[rank]);
    } catch (const std::exception& error) {
      errors[rank] = error.what();
    }
  });
  EXPECT_THAT(errors[0], HasSubstr("no status"));
  EXPECT_THAT(errors[1], HasSubstr("process 0 of 2"));
  EXPECT_THAT(events[0].checkpoints, ElementsAre(folder / "tuned" / "checkpoint-2"));
  EXPECT_THAT(events[1].checkpoints, IsEmpty());
  EXPECT_EQ(train::fault_in_checkpoint(folder / "tuned" / "checkpoint-2"), "");
}

TEST(SaveModel, ReportsEntriesThatCouldNotBeKept) {
  const TemporaryFolder folder;
  const fs::path earlier = folder / "rest.tuned.0123456789abcdef", rest = folder / "rest.tuned.fedcba9876543210";
  fs::create_directory(earlier);
  const TaskOfARest task(rest);
  RunOptions options;
  options.output = folder / "tuned";
  const Device device({.plugin = fs::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so", .use_cache = false});
  Trainer trainer(device, task, {});
  trainer.fit(test::plane_batches(1), {.num_train_epochs = 1});
  Alerts events;
  save_model(trainer, trainer.steps(), options, events);
  EXPECT_THAT(events.texts,
              ElementsAre(AllOf(HasSubstr(rest.string()), HasSubstr("entries of " + options.output.string()),
                                HasSubstr("remove rest.tuned.fedcba9876543210"))));
  events.texts.clear();
  report_rests(options.output, {}, events);
  EXPECT_THAT(events.texts, UnorderedElementsAre(HasSubstr(earlier.string()), HasSubstr(rest.string())));
}

TEST(SaveAverage, ReportsEntriesThatCouldNotBeKept) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "tuned";
  const fs::path rest = options.output / "rest.ema.fedcba9876543210";
  const TaskOfARest task(rest);
  const Device device({.plugin = fs::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so", .use_cache = false});
  Trainer trainer(device, task, {.ema = 0.5});
  trainer.fit(test::plane_batches(1), {.num_train_epochs = 1});
  Alerts events;
  save_average(trainer, options, events);
  const auto reported = ElementsAre(AllOf(HasSubstr(rest.string()), HasSubstr("remove rest.ema.fedcba9876543210")));
  EXPECT_THAT(events.texts, reported);
  events.texts.clear();
  checkpoint_of(options, events);
  EXPECT_THAT(events.texts, reported);
}

}  // namespace
}  // namespace portatune::run
