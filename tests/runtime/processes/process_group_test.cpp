#include "portatune/process_group.h"

#include <gtest/gtest.h>

#include <cstring>

namespace portatune {
namespace {

// Process 1 of three; the test sets the numbers of the others.
class Fake final : public ProcessGroup {
 public:
  Fake(uint64_t of_first, uint64_t of_last) : of_first_(of_first), of_last_(of_last) {}

  int64_t rank() const override { return 1; }
  int64_t size() const override { return 3; }
  void all_gather(Members members, std::span<const std::byte> part, std::span<std::byte> whole) override {
    ASSERT_EQ(members.size(), 3u);
    ASSERT_EQ(whole.size(), 3 * part.size());
    std::memcpy(whole.data(), &of_first_, part.size());
    std::memcpy(whole.data() + part.size(), part.data(), part.size());
    std::memcpy(whole.data() + 2 * part.size(), &of_last_, part.size());
  }
  void all_reduce(Members, std::span<const float>, std::span<float>) override { FAIL(); }
  void reduce_scatter(Members, std::span<const float>, std::span<float>) override { FAIL(); }
  std::shared_ptr<KeyValueStore> store() override { return nullptr; }
  std::shared_ptr<ProcessGroup> duplicate() override { return nullptr; }
  void abort(int) override { std::abort(); }

  using ProcessGroup::all_gather;

 private:
  const uint64_t of_first_, of_last_;
};

TEST(ProcessGroup, InAnyIsTrueIfOneProcessIsTrue) {
  Fake none(0, 0), last(0, 1);
  EXPECT_FALSE(in_any(&none, false));
  EXPECT_TRUE(in_any(&none, true));
  EXPECT_TRUE(in_any(&last, false));
  EXPECT_TRUE(in_any(nullptr, true));
  EXPECT_FALSE(in_any(nullptr, false));
}

TEST(ProcessGroup, FirstWithAnotherReturnsTheRank) {
  Fake same(5, 5), last(5, 6);
  EXPECT_EQ(first_with_another(&same, 5), std::nullopt);
  EXPECT_EQ(first_with_another(&same, 4), 1);
  EXPECT_EQ(first_with_another(&last, 5), 2);
  EXPECT_EQ(first_with_another(nullptr, 5), std::nullopt);
}

TEST(ProcessGroup, ProcessZeroAndASingleProcessAreFirst) {
  EXPECT_TRUE(is_first(nullptr));
  const Fake second(0, 0);
  EXPECT_FALSE(is_first(&second));
}

}  // namespace
}  // namespace portatune
