#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/numbers.h"
#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;

TEST(Shard, GivesEveryNthExample) {
  EXPECT_THAT(collect(numbers(8).shard(3, 0)), ElementsAre(0, 3, 6));
  EXPECT_THAT(collect(numbers(8).shard(3, 1)), ElementsAre(1, 4, 7));
  EXPECT_THAT(collect(numbers(8).shard(3, 2)), ElementsAre(2, 5));
  EXPECT_THAT(collect(numbers(2).shard(3, 2)), ElementsAre());
  EXPECT_THAT(collect(numbers(3).shard(1, 0)), ElementsAre(0, 1, 2));
}

TEST(Shard, WorkersTogetherGiveEveryExampleOnceInEachEpoch) {
  for (const int64_t buffer : {0, 5}) {
    for (int64_t workers = 1; workers <= 9; ++workers) {
      for (const int64_t epoch : {0, 1}) {
        std::vector<int> seen(20);
        for (int64_t worker = 0; worker < workers; ++worker) {
          const Dataset part = numbers(20).shuffle({.buffer = buffer, .seed = 3}).shard(workers, worker);
          for (const int n : collect(part.iterate(epoch))) ++seen[static_cast<size_t>(n)];
        }
        EXPECT_THAT(seen, testing::Each(1)) << workers << " workers, epoch " << epoch;
      }
    }
  }
}

TEST(Shard, SkipsOnlyItsExamples) {
  Cursor cursor = numbers(11).shard(3, 1).iterate();
  EXPECT_EQ(cursor.skip(2), 2);
  EXPECT_THAT(collect(std::move(cursor)), ElementsAre(7, 10));
  EXPECT_EQ(numbers(11).shard(3, 1).count(), 4);
}

TEST(Shard, RejectsAnIndexAboveTheCount) {
  expect_error<UsageError>([] { numbers(3).shard(2, 2); }, {"shard", "index = 2", "0 to 1"});
  EXPECT_THROW(numbers(3).shard(2, -1), UsageError);
  EXPECT_THROW(numbers(3).shard(0, 0), UsageError);
}

}  // namespace
}  // namespace portatune::data
