#include "portatune/run/remarks.h"

#include <gmock/gmock.h>

namespace portatune::run {
namespace {

TEST(Remarks, NameAFewUnexpectedWeights) {
  EXPECT_THAT(remarks({}), testing::IsEmpty());
  EXPECT_THAT(remarks({.missing = {}, .unexpected = {"a", "b", "c", "d", "e", "f", "g", "h"}}),
              testing::ElementsAre("8 of the checkpoint's weights have no place in the model and are left out: "
                                   "a, b, c, d, e, f and 2 more"));
}

TEST(Remarks, NameUnknownKeysOfTheConfigInOneLine) {
  EXPECT_THAT(remarks_on_config({}), testing::IsEmpty());
  EXPECT_THAT(remarks_on_config({"rope", "moe"}),
              testing::ElementsAre("config.json has keys that are not known and have no effect: rope, moe"));
}

}  // namespace
}  // namespace portatune::run
