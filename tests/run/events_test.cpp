#include <gtest/gtest.h>

#include "portatune/run.h"

namespace portatune::run {
namespace {

// Batches without columns, which come from so many rows each.
data::Dataset batches_of(int64_t batches, size_t rows) {
  const auto with_origins = [rows](data::Example batch) {
    batch.set_row_origins(std::vector<data::Origin>(rows));
    return batch;
  };
  return data::from_examples(std::vector<data::Example>(static_cast<size_t>(batches))).map(with_origins);
}

int64_t read_all(const data::Dataset& batches) {
  int64_t count = 0;
  for (data::Cursor cursor = batches.iterate(); cursor.next();) ++count;
  return count;
}

TEST(RowProgress, CountsTheRowsOfBatches) {
  RowProgress progress;
  EXPECT_EQ(read_all(progress.over(batches_of(2, 3))), 2);
  EXPECT_EQ(progress.rows(), 6);
  progress.add(4);
  EXPECT_EQ(progress.rows(), 10);
}

TEST(RowProgress, CountsABatchWithoutOriginsAsOneRow) {
  RowProgress progress;
  EXPECT_EQ(read_all(progress.over(batches_of(2, 0))), 2);
  EXPECT_EQ(progress.rows(), 2);
}

TEST(Events, ReportNothingByDefault) {
  Events events;
  EXPECT_EQ(events.progress("evaluating")->rows(), 0);
  RowProgress evaluation;
  const std::unique_ptr<TrainingObserver> observer = events.training({}, evaluation);
  EXPECT_FALSE(observer->should_stop());
  EXPECT_EQ(observer->skipped_at_end(), 0);
}

TEST(WithWarnings, HandsWarningsToTheEvents) {
  struct Warnings : Events {
    std::vector<std::string> texts;
    void warning(const std::string& text) override { texts.push_back(text); }
  } events;
  with_warnings({}, events).warn("no kernels");
  EXPECT_EQ(events.texts, std::vector<std::string>{"no kernels"});
}

}  // namespace
}  // namespace portatune::run
