#include "portatune/runtime/device_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DeviceName, ParsesPlatformAndNumbersOfGpus) {
  EXPECT_EQ(device_name("tpu").platform, "tpu");
  EXPECT_THAT(device_name("cuda").numbers, IsEmpty());
  EXPECT_EQ(device_name("cuda:1").platform, "cuda");
  EXPECT_THAT(device_name("cuda:1").numbers, ElementsAre(1));
  EXPECT_THAT(device_name("cuda:3,0,12").numbers, ElementsAre(3, 0, 12));
}

TEST(DeviceName, RefusesOtherTexts) {
  for (const char* text : {"", "gpu", "cuda:", "cuda:,", "cuda:0,", "cuda:,0", "cuda:0,0", "cuda:-1", "cuda:x",
                           "cuda:0 ,1", "cpu:0", "tpu:0,1", "cuda:0:1"}) {
    EXPECT_THROW(device_name(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace portatune::test
