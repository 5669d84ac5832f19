#include "portatune/base/threads/cores.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace portatune {

TEST(Cores, AThreadIsLimitedAloneWithTheThreadsThatItStarts) {
  const std::vector<int> all = usable_core_numbers();
  ASSERT_EQ(usable_cores(), std::ssize(all));
  std::vector<int> limited, inherited;
  std::jthread([&] {
    limit_to_cores(std::span(all).first(1));
    limited = usable_core_numbers();
    std::jthread([&] { inherited = usable_core_numbers(); });
  }).join();
  EXPECT_EQ(limited, std::vector{all.front()});
  EXPECT_EQ(inherited, limited);
  EXPECT_EQ(usable_core_numbers(), all);
}

TEST(Cores, NoCoresLimitNothing) {
  const int before = usable_cores();
  limit_to_cores({});
  EXPECT_EQ(usable_cores(), before);
}

}  // namespace portatune
