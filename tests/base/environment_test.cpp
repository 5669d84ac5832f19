#include "portatune/base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace portatune {
namespace {

TEST(EnvironmentVariable, IsNoneIfUnsetOrEmpty) {
  constexpr const char* kName = "PORTATUNE_TEST_VARIABLE";
  unsetenv(kName);
  EXPECT_EQ(environment_variable(kName), std::nullopt);
  setenv(kName, "", 1);
  EXPECT_EQ(environment_variable(kName), std::nullopt);
  setenv(kName, "a b", 1);
  EXPECT_EQ(environment_variable(kName), "a b");
  unsetenv(kName);
}

}  // namespace
}  // namespace portatune
