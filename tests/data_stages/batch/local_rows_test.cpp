// map_local and batch_local: the arrays of the local rows of one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "data_stages/numbers.h"
#include "data_stages/resuming.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const BatchShare kFirstHalf = {.parts = 2, .begin = 0, .end = 1}, kSecondHalf = {.parts = 2, .begin = 1, .end = 2};

LocalRows local_of(int64_t size, const BatchShare& share) {
  return {.size = size, .share = share, .arrays = {{"pixels", {DType::kFloat32, {2}}}}};
}

// Each with its number as "label", and those that are local ones with "pixels" (n + 1, -n).
Example made_of(const Example& row, bool is_local) {
  const int number = std::stoi(row.text("n"));
  Example example(row.origin());
  example.set("label", Tensor({}, {number}));
  if (is_local) example.set("pixels", Tensor({2}, {static_cast<float>(number + 1), static_cast<float>(-number)}));
  return example;
}

Dataset batches_of(const Dataset& rows, int64_t size, const BatchShare& share, int threads = 3) {
  const LocalRows local = local_of(size, share);
  return rows.map_local(made_of, local, {.threads = threads}).batch_local(local);
}

}  // namespace

TEST(LocalRows, AreTheShareOfEachBatch) {
  const LocalRows local{.size = 12, .share = {.parts = 4, .begin = 1, .end = 3}};
  std::vector<int64_t> places;
  for (int64_t place = 0; place < 12; ++place) {
    if (local.has(place)) places.push_back(place);
  }
  EXPECT_THAT(places, ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(LocalRows, AreTheOnlyRowsWithArrays) {
  std::mutex mutex;
  std::set<int> made;
  const LocalRows local = local_of(4, kSecondHalf);
  const auto counted = [&](const Example& row, bool is_local) {
    const std::lock_guard lock(mutex);
    if (is_local) made.insert(std::stoi(row.text("n")));
    return made_of(row, is_local);
  };
  for (const int threads : {1, 3}) {
    made.clear();
    const std::vector<Example> batches =
        all(numbers(22).map_local(counted, local, {.threads = threads}).batch_local(local).iterate());
    EXPECT_THAT(made, ElementsAre(2, 3, 6, 7, 10, 11, 14, 15, 18, 19));  // 20 and 21 belong to the first half
    ASSERT_THAT(batches, SizeIs(6));
    EXPECT_THAT(batches[0].tensor("pixels").as<float>(), ElementsAre(0, 0, 0, 0, 3, -2, 4, -3));
    EXPECT_THAT(batches[0].tensor("label").as<int32_t>(), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(batches[5].tensor("pixels").as<float>(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(batches[5].tensor("label").as<int32_t>(), ElementsAre(20, 21, 0, 0));
    EXPECT_THAT(batches[5].tensor(kExampleWeight).as<float>(), ElementsAre(1, 1, 0, 0));
    ASSERT_NE(batches[5].local_rows(), nullptr);
    EXPECT_EQ(batches[5].local_rows()->share, kSecondHalf);
  }
}

TEST(LocalRows, AreAllRowsInOneProcess) {
  const auto make = [](const Example& row) { return made_of(row, true); };
  const std::vector<Example> found = all(batches_of(numbers(22), 4, {}).iterate());
  std::vector<std::string> texts;
  for (const Example& batch : found) {
    EXPECT_EQ(batch.local_rows(), nullptr);
    texts.push_back(to_text(batch));
  }
  EXPECT_EQ(texts, texts_of(numbers(22).map(make).batch({.size = 4}).iterate()));
}

// In shuffled order, resumed at any position: the local rows of two processes together are those of one process.
TEST(LocalRows, OfAllProcessesFormTheBatchAfterAResume) {
  const auto rows = numbers(50).shuffle({.buffer = 20, .seed = 3});
  const auto of = [&](const BatchShare& share) { return batches_of(rows, 8, share).prefetch(2).repeat(); };
  for (size_t cut = 0; cut < 12; ++cut) {
    Cursor one = of({}).iterate(), first = of(kFirstHalf).iterate(), second = of(kSecondHalf).iterate();
    for (size_t i = 0; i < cut; ++i) {
      one.next();
      first.next();
      second.next();
    }
    const std::string state = one.state();
    // Equal states allow a run to resume with another number of processes.
    ASSERT_EQ(first.state(), state);
    ASSERT_EQ(second.state(), state);
    Cursor whole = of({}).resume(state), resumed = of(kFirstHalf).resume(state), skipping = of(kSecondHalf).iterate();
    skipping.skip(static_cast<int64_t>(cut));
    for (int i = 0; i < 9; ++i) {
      const Example wanted = *whole.next(), a = *resumed.next(), b = *skipping.next();
      const auto pixels = wanted.tensor("pixels").as<float>(), of_a = a.tensor("pixels").as<float>(),
                 of_b = b.tensor("pixels").as<float>();
      for (size_t at = 0; at < 16; ++at) {
        ASSERT_EQ(of_a[at], at < 8 ? pixels[at] : 0);
        ASSERT_EQ(of_b[at], at < 8 ? 0 : pixels[at]);
      }
      ASSERT_TRUE(std::ranges::equal(a.tensor("label").as<int32_t>(), wanted.tensor("label").as<int32_t>()));
      ASSERT_TRUE(std::ranges::equal(b.tensor("label").as<int32_t>(), wanted.tensor("label").as<int32_t>()));
    }
  }
}

TEST(LocalRows, AreAllRowsIfBadRowsAreSkipped) {
  const auto bad_rows = std::make_shared<BadRows>(2);
  const LocalRows local = local_of(4, kFirstHalf);
  const auto make = [](const Example& row, bool is_local) {
    // A bad row of another process counts, too: the rows after it move up.
    if (row.text("n") == "0" || row.text("n") == "3") throw DataError({.where = row.text("n"), .given = "a bad row"});
    return made_of(row, is_local);
  };
  const auto batches =
      all(numbers(10).map_local(make, local, {.threads = 2}).batch_local(local).skip_bad_rows(bad_rows).iterate());
  ASSERT_THAT(batches, SizeIs(2));
  EXPECT_EQ(bad_rows->count(), 2);
  EXPECT_THAT(batches[0].tensor("label").as<int32_t>(), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(batches[0].tensor("pixels").as<float>(), ElementsAre(2, -1, 3, -2, 5, -4, 6, -5));
  EXPECT_THAT(batches[1].tensor("label").as<int32_t>(), ElementsAre(6, 7, 8, 9));
}

TEST(LocalRows, MustHaveTheirArrays) {
  const LocalRows local = local_of(4, kSecondHalf);
  const auto none = [](const Example& row, bool) { return made_of(row, false); };
  expect_error<DataError>([&] { numbers(8).map_local(none, local).batch_local(local).iterate().next(); },
                          {"example 2", "'pixels'"});
  const auto long_ones = [](const Example& row, bool is_local) {
    Example example = made_of(row, is_local);
    if (is_local) example.set("pixels", Tensor({3}, {1.F, 2.F, 3.F}));
    return example;
  };
  expect_error<DataError>([&] { numbers(8).map_local(long_ones, local).batch_local(local).iterate().next(); },
                          {"example 2", "float32[3] in column 'pixels'", "float32[2]"});
  EXPECT_THROW(numbers(8).map_local(none, local_of(0, {})), UsageError);
  EXPECT_THROW(numbers(8).batch_local(local_of(0, {})), UsageError);
}

TEST(LocalRows, MustBeAValidShare) {
  for (const LocalRows& local :
       {local_of(5, kFirstHalf), local_of(4, {.parts = 2, .begin = 1, .end = 1}),
        local_of(4, {.parts = 2, .begin = 1, .end = 3}), local_of(4, {.parts = 0, .begin = 0, .end = 0})}) {
    expect_error<UsageError>([&] { numbers(8).map_local(made_of, local); }, {"map_local", "equal parts"});
    expect_error<UsageError>([&] { numbers(8).batch_local(local); }, {"batch_local", "equal parts"});
  }
}

// A reader of the file would take the zeros for pixels.
TEST(LocalRows, CannotBeCachedInAFile) {
  const TemporaryFolder folder;
  const Dataset batches = batches_of(numbers(8), 4, kSecondHalf).cache((folder / "batches").string());
  expect_error<UsageError>([&] { batches.iterate().next(); }, {"local rows of one process", "cache the rows"});
}

TEST(LocalRows, ThrowTheErrorOfALocalRow) {
  const LocalRows local = local_of(4, kSecondHalf);
  const auto make = [](const Example& row, bool is_local) {
    if (is_local && row.text("n") == "6") throw DataError({.where = "6", .given = "a damaged one"});
    return made_of(row, is_local);
  };
  const Dataset batches = numbers(12).map_local(make, local, {.threads = 2}).batch_local(local);
  Cursor cursor = batches.iterate();
  EXPECT_TRUE(cursor.next());
  expect_error<DataError>([&] { cursor.next(); }, {"example 6", "a damaged one"});
}

}  // namespace portatune::data
