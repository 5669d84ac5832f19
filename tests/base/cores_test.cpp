#include "portatune/base/threads/cores.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace portatune {

TEST(Cores, AThreadIsLimitedAloneWithTheThreadsThatItStarts) {
  const std::vector<int> all = allowed_cores();
  ASSERT_LE(usable_cores(), std::ssize(all));  // fewer with a quota of CPU time
  std::vector<int> limited, inherited;
  std::jthread([&] {
    limit_to_cores(std::span(all).first(1));
    limited = allowed_cores();
    std::jthread([&] { inherited = allowed_cores(); });
  }).join();
  EXPECT_EQ(limited, std::vector{all.front()});
  EXPECT_EQ(inherited, limited);
  EXPECT_EQ(allowed_cores(), all);
}

TEST(Cores, NoCoresLimitNothing) {
  const int before = usable_cores();
  limit_to_cores({});
  EXPECT_EQ(usable_cores(), before);
}

}  // namespace portatune
