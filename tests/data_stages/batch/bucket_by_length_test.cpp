#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "io/table_file.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;

// Examples of these lengths, with their indices as ids and as the text "n".
Dataset of_lengths(const std::vector<int>& lengths) {
  std::vector<Example> examples;
  for (const int length : lengths) {
    const int64_t number = std::ssize(examples);
    Example& example = examples.emplace_back();
    example.set("n", std::to_string(number));
    example.set("ids", vector_of(std::vector<int64_t>(static_cast<size_t>(length), number + 1)));
  }
  return from_examples(std::move(examples));
}

BucketOptions buckets(std::vector<int64_t> lengths, int64_t window = 128) {
  return {.padding = {.lengths = std::move(lengths)}, .window = window};
}

// "LENGTH: NUMBERS" of each batch.
std::vector<std::string> described(Cursor cursor) {
  std::vector<std::string> batches;
  for (const Example& batch : cursor) {
    std::string text = std::to_string(batch.tensor("ids").shape()[1]) + ":";
    for (const std::string& n : batch.texts("n")) text += " " + (n.empty() ? "-" : n);
    batches.push_back(text);
  }
  return batches;
}

// Alternating short and long examples.
const std::vector<int> kMixed = {1, 9, 2, 8, 3, 7, 1, 9, 2, 8};

}  // namespace

TEST(BucketByLength, GroupsExamplesOfSimilarLength) {
  EXPECT_THAT(described(of_lengths(kMixed).bucket_by_length(2, buckets({3, 9})).iterate()),
              ElementsAre("3: 0 2", "9: 1 3", "3: 4 6", "9: 5 7", "9: 8 9"));
}

TEST(BucketByLength, TheRestJoinsTheNextLargerBucket) {
  // At the end the buckets hold one example of length 1, two of 2 to 4, one of 5 to 9.
  EXPECT_THAT(described(of_lengths({9, 3, 1, 4}).bucket_by_length(3, buckets({1, 4, 9})).iterate()),
              ElementsAre("4: 2 1 3", "9: 0 - -"));
}

TEST(BucketByLength, HasAsManyBatchesAsWithoutBuckets) {
  for (int examples = 0; examples <= 23; ++examples) {
    std::vector<int> lengths;
    for (int i = 0; i < examples; ++i) lengths.push_back(1 + i * 7 % 10);
    const std::vector<std::string> batches =
        described(of_lengths(lengths).bucket_by_length(4, buckets({3, 6, 10}, 2)).iterate());
    EXPECT_EQ(std::ssize(batches), (examples + 3) / 4) << examples;
  }
}

TEST(BucketByLength, GivesEveryExampleOnce) {
  std::vector<int> lengths, expected;
  for (int i = 0; i < 101; ++i) {
    lengths.push_back(1 + i * 37 % 50);
    expected.push_back(i);
  }
  std::vector<int> seen;
  for (const Example& batch : of_lengths(lengths).bucket_by_length(8, buckets({5, 10, 20, 50}, 3)).iterate()) {
    for (const std::string& n : batch.texts("n")) {
      if (!n.empty()) seen.push_back(std::stoi(n));
    }
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, expected);
}

TEST(BucketByLength, WindowsEmptyAllBuckets) {
  // Each window has four examples: a batch of short and a batch of long ones.
  EXPECT_THAT(described(of_lengths({1, 9, 1, 9, 9, 1, 9, 9}).bucket_by_length(2, buckets({1, 9}, 2)).iterate()),
              ElementsAre("1: 0 2", "9: 1 3", "9: 4 6", "9: 5 7"));
}

TEST(BucketByLength, HasTheNumbersOfTheExamples) {
  const Dataset batches = of_lengths({9, 1, 1}).bucket_by_length(2, buckets({1, 9}));
  Cursor cursor = batches.iterate();
  EXPECT_THAT(cursor.next()->tensor("example_place").as<int64_t>(), ElementsAre(2, 3));
  EXPECT_THAT(cursor.next()->tensor("example_place").as<int64_t>(), ElementsAre(1, 0));
}

TEST(BucketByLength, ContinuesAfterSkippingWithTheSameBatch) {
  const Dataset batches = of_lengths({1, 9, 2, 8, 3, 7, 1, 9, 2, 8, 5, 6, 1}).bucket_by_length(2, buckets({3, 9}, 2));
  const std::vector<std::string> all = described(batches.iterate());
  for (size_t skipped = 0; skipped <= all.size(); ++skipped) {
    Cursor cursor = batches.iterate();
    EXPECT_EQ(cursor.skip(static_cast<int64_t>(skipped)), static_cast<int64_t>(skipped));
    EXPECT_EQ(described(std::move(cursor)),
              std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(skipped), all.end()));
  }
  EXPECT_EQ(batches.count(), std::ssize(all));
}

TEST(BucketByLength, ResumesOnlyWithTheSameOptions) {
  const auto batches = [](int64_t size, BucketOptions options) {
    return of_lengths(kMixed).bucket_by_length(size, std::move(options));
  };
  Cursor cursor = batches(2, buckets({3, 9})).iterate();
  cursor.next();
  const std::string state = cursor.state();
  EXPECT_THAT(described(batches(2, buckets({3, 9})).resume(state)),
              ElementsAre("9: 1 3", "3: 4 6", "9: 5 7", "9: 8 9"));
  expect_error<DataError>([&] { batches(3, buckets({3, 9})).resume(state); }, {"bucket_by_length", "size"});
  expect_error<DataError>([&] { batches(2, buckets({4, 9})).resume(state); }, {"bucket_by_length", "lengths"});
  expect_error<DataError>([&] { batches(2, buckets({3, 9}, 2)).resume(state); }, {"bucket_by_length", "window"});
}

TEST(BucketByLength, SkipsWholeWindowsWithoutMakingTheirExamples) {
  int made = 0;
  const Dataset batches = of_lengths(std::vector<int>(20, 1))
                              .map([&](Example example) {
                                ++made;
                                return example;
                              })
                              .bucket_by_length(2, buckets({1, 9}, 2));
  Cursor cursor = batches.iterate();
  EXPECT_EQ(cursor.skip(5), 5);
  EXPECT_EQ(made, 2);
}

TEST(BucketByLength, OrderOfTheInputDeterminesTheBatches) {
  std::vector<int> lengths(64, 1);
  lengths.resize(128, 9);
  const auto first_batch = [&](int64_t epoch) {
    const Dataset batches =
        of_lengths(lengths).shuffle({.buffer = 128, .seed = 1}).bucket_by_length(8, buckets({1, 9}));
    return described(batches.iterate(epoch))[0];
  };
  EXPECT_EQ(first_batch(0), first_batch(0));
  EXPECT_NE(first_batch(0), first_batch(1));
}

TEST(BucketByLength, UsesTheLongestColumn) {
  Example example;
  example.set("ids", Tensor({1}, {1})).set("words", Tensor({4}, {1, 2, 3, 4})).set("n", "0");
  const Example batch = *from_examples({example}).bucket_by_length(1, buckets({2, 4, 8})).iterate().next();
  EXPECT_EQ(batch.tensor("ids").shape(), (Shape{1, 4}));
}

TEST(BucketByLength, ErrorNamesAnExampleThatIsTooLong) {
  expect_error<DataError>(
      [] {
        described(of_lengths({1, 2, 10}).bucket_by_length(2, buckets({3, 9})).iterate());
      },
      {"example 2", "[10]", "at most 9"});
}

TEST(BucketByLength, RejectsInvalidOptions) {
  expect_error<UsageError>([] { of_lengths({1}).bucket_by_length(0, buckets({3})); }, {"size = 0"});
  expect_error<UsageError>([] { of_lengths({1}).bucket_by_length(1, buckets({3}, 0)); }, {"window = 0"});
  expect_error<UsageError>([] { of_lengths({1}).bucket_by_length(1, buckets({})); },
                           {"bucket_by_length", "no lengths"});
}

}  // namespace portatune::data
