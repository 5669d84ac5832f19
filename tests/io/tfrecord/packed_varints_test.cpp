#include "portatune/io/tfrecord/packed_varints.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "portatune/error.h"

namespace portatune::io {
namespace {

// Packs by the definition, byte by byte.
std::string packed(const std::vector<int64_t>& values) {
  std::string bytes;
  for (const int64_t value : values) {
    auto rest = static_cast<uint64_t>(value);
    for (; rest >= 128; rest /= 128) bytes += static_cast<char>(rest % 128 + 128);
    bytes += static_cast<char>(rest);
  }
  return bytes;
}

template <class T>
std::vector<T> unpacked(const std::string& bytes) {
  std::vector<T> values(static_cast<size_t>(count_packed(bytes)));
  EXPECT_EQ(unpack(bytes, std::span<T>(values)), values.size());
  return values;
}

// Tests numbers of one to ten bytes in any mixture, at any distance from the end.
TEST(PackedVarints, RoundTrips) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<int64_t> values(random() % 40);
    const uint64_t widest = 1 + random() % 64;
    for (int64_t& value : values) value = static_cast<int64_t>(random() >> (64 - 1 - random() % widest));
    ASSERT_EQ(unpacked<int64_t>(packed(values)), values) << round;
  }
}

TEST(PackedVarints, IntegersOf32BitsMustFit) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<int64_t> values(random() % 40);
    for (int64_t& value : values) value = static_cast<int32_t>(random() >> (random() % 64));
    const std::vector<int32_t> expected(values.begin(), values.end());
    ASSERT_EQ(unpacked<int32_t>(packed(values)), expected) << round;
    if (values.empty()) continue;
    values[random() % values.size()] = random() % 2 == 0 ? int64_t{1} << 31 : -(int64_t{1} << 31) - 1;
    ASSERT_THROW(unpacked<int32_t>(packed(values)), UsageError) << round;
  }
}

TEST(PackedVarints, RefusesMalformedNumbers) {
  EXPECT_THROW(count_packed("\x01\x81"), UsageError);
  for (const std::string before : {"", "\x01", "\x01\x02\x03\x04\x05\x06\x07\x08"}) {
    for (const std::string after : {"", "\x01", "\x01\x02\x03\x04\x05\x06\x07\x08"}) {
      EXPECT_THROW(unpacked<int64_t>(before + std::string(10, '\xFF') + "\x01" + after), UsageError);
    }
  }
}

}  // namespace
}  // namespace portatune::io
