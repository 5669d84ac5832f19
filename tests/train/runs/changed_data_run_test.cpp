// Files that change between two looks of a run at them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "train/plane_task.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kStepsOfEpoch = 4;

struct StopAt final : Callback {
  explicit StopAt(int64_t step) : step(step) {}
  void on_step(const StepResult& result, int64_t) override { last = result.step(); }
  bool should_stop() override { return last + 1 >= step; }  // one more step is running

  const int64_t step;
  int64_t last = 0;
};

class ChangedDataOfARun : public testing::Test {
 protected:
  void SetUp() override { write_rows("0.5"); }

  void write_rows(const std::string& number) const {
    std::string text = "x\n";
    for (int64_t i = 0; i < 2 * kStepsOfEpoch; ++i) text += number + "\n";
    write_text(file_, text);
  }
  data::Dataset batches() const {
    return data::read_csv(file_)
        .map([](const data::Example& row) {
          const float x = std::stof(row.text("x"));
          data::Example example;
          example.set("x", Tensor({2}, {x, -x})).set("z", Tensor({2}, {1.0f, 1.0f}));
          example.set("up", Tensor({}, {1.0f})).set("down", Tensor({}, {1.0f}));
          return example;
        })
        .batch({.size = 2});
  }
  // Two epochs; the file changes after the look at the end of the first one, before the second one opens it.
  FitOptions options() {
    FitOptions options{.num_train_epochs = 2, .checkpoints = {.folder = folder_ / "run"}};
    options.changed_data = [this, looks = 0]() mutable -> std::optional<ChangedData> {
      if (++looks == 2) write_rows("0.25");
      return looks > 2 ? std::optional(ChangedData{file_, "modified since the start"}) : std::nullopt;
    };
    return options;
  }
  // The restored file continues the run.
  void expect_resume_from(const fs::path& checkpoint, int64_t epochs) const {
    write_rows("0.5");
    const PlaneTask saved(checkpoint);
    Trainer trainer(kernels(), saved, {});
    trainer.resume(checkpoint);
    EXPECT_EQ(trainer.fit(batches(), {.num_train_epochs = epochs}).steps, epochs * kStepsOfEpoch);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "rows.csv";
  const PlaneTask task_;
};

TEST_F(ChangedDataOfARun, DoNotGiveACheckpointThatRefusesTheUnchangedFile) {
  Trainer trainer(kernels(), task_, {});
  EXPECT_THROW(trainer.fit(batches(), options()), DataError);
  expect_resume_from(folder_ / "run" / "checkpoint-8", 3);
}

TEST_F(ChangedDataOfARun, GiveNoSuchCheckpointToAStoppedRunEither) {
  StopAt stop(6);
  FitOptions stopped = options();
  stopped.callback = &stop;
  Trainer trainer(kernels(), task_, {});
  EXPECT_TRUE(trainer.fit(batches(), stopped).stopped);
  EXPECT_THAT(trainer.deviations(), testing::ElementsAre(testing::HasSubstr("the data changed after step 4")));
  trainer.save_checkpoint(folder_ / "stopped");
  expect_resume_from(folder_ / "stopped", 2);
}

}  // namespace
}  // namespace portatune::test
