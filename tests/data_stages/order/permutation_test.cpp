#include "portatune/data/order/permutation.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <vector>

namespace portatune::data {
namespace {

std::vector<int64_t> order(int64_t size, uint64_t seed, int64_t epoch) {
  const Permutation permutation(size, seed, epoch);
  std::vector<int64_t> order;
  for (int64_t i = 0; i < size; ++i) order.push_back(permutation(i));
  return order;
}

double chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Permutation, ContainsEveryIndexOnce) {
  for (int64_t size = 0; size < 300; ++size) {
    const std::vector<int64_t> found = order(size, 7, size % 3);
    const std::set<int64_t> distinct(found.begin(), found.end());
    ASSERT_EQ(std::ssize(distinct), size);
    if (size > 0) {
      ASSERT_EQ(*distinct.begin(), 0);
      ASSERT_EQ(*distinct.rbegin(), size - 1);
    }
  }
  for (const int64_t size : {4095, 4096, 4097, 100'000}) {
    const std::vector<int64_t> found = order(size, 1, 0);
    const std::set<int64_t> distinct(found.begin(), found.end());
    EXPECT_EQ(std::ssize(distinct), size);
    EXPECT_EQ(*distinct.rbegin(), size - 1);
  }
}

TEST(Permutation, StaysBelowHugeSizes) {
  for (const int64_t size : {(int64_t{1} << 40) + 1, int64_t{1} << 62, std::numeric_limits<int64_t>::max()}) {
    const Permutation permutation(size, 3, 1);
    std::set<int64_t> distinct;
    for (int64_t i = 0; i < 1000; ++i) {
      const int64_t place = permutation(size - 1 - i);
      EXPECT_GE(place, 0);
      EXPECT_LT(place, size);
      distinct.insert(place);
    }
    EXPECT_EQ(distinct.size(), 1000u);
  }
}

// Expected values by tests/oracle/data/make_shuffle_golden.py. A resumed run must have the order in which it began.
TEST(Permutation, IsTheSameOnEveryMachineAndInEveryVersion) {
  EXPECT_EQ(order(10, 42, 0), (std::vector<int64_t>{1, 3, 5, 7, 0, 9, 4, 6, 2, 8}));
  EXPECT_EQ(order(10, 42, 1), (std::vector<int64_t>{3, 6, 7, 5, 8, 1, 4, 2, 0, 9}));
  EXPECT_EQ(order(5, 7, 0), (std::vector<int64_t>{1, 0, 4, 3, 2}));
}

TEST(Permutation, AllOrdersAreEquallyLikely) {
  std::map<std::vector<int64_t>, int> found;
  for (int64_t epoch = 0; epoch < 24'000; ++epoch) ++found[order(4, 11, epoch)];
  ASSERT_EQ(found.size(), 24u);
  std::vector<int> counts;
  for (const auto& [order, count] : found) counts.push_back(count);
  EXPECT_LT(chi_square(counts, 1000), 49.7);  // the 0.1 % point for 23 degrees of freedom
}

TEST(Permutation, AllIndicesAndDistancesAreEquallyLikely) {
  constexpr int kSize = 101, kEpochs = 20'200;
  std::vector<int> places(kSize), distances(kSize);
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const Permutation permutation(kSize, 5, epoch);
    const int64_t first = permutation(0), second = permutation(1);
    ++places[static_cast<size_t>(first)];
    ++distances[static_cast<size_t>((second - first + kSize) % kSize)];
  }
  EXPECT_LT(chi_square(places, 200), 149.4);  // the 0.1 % point for 100 degrees of freedom
  EXPECT_EQ(distances[0], 0);
  distances.erase(distances.begin());
  EXPECT_LT(chi_square(distances, 202), 148.2);  // the 0.1 % point for 99
}

}  // namespace
}  // namespace portatune::data
