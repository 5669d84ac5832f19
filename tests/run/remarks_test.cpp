#include "portatune/run/remarks.h"

#include <gmock/gmock.h>

#include "io/temporary_folder.h"

namespace portatune::run {
namespace {

TEST(Remarks, NameAFewUnexpectedWeights) {
  EXPECT_THAT(remarks({}), testing::IsEmpty());
  EXPECT_THAT(remarks({.missing = {}, .unexpected = {"a", "b", "c", "d", "e", "f", "g", "h"}}),
              testing::ElementsAre("8 of the checkpoint's weights have no place in the model and are left out: "
                                   "a, b, c, d, e, f and 2 more"));
}

TEST(Remarks, SayThatPicklesAreNotExecuted) {
  const TemporaryFolder folder;
  write_text(folder / "pytorch_model.bin", "");
  const LoadReport report{.missing = {}, .unexpected = {}, .folder = folder.path()};
  EXPECT_THAT(remarks(report), testing::ElementsAre("the weights are Python pickles: only their tensors are read, and "
                                                    "nothing in them is executed"));
  write_text(folder / "model.safetensors", "");
  EXPECT_THAT(remarks(report), testing::IsEmpty());
}

TEST(Remarks, NameUnknownKeysOfTheConfigInOneLine) {
  EXPECT_THAT(remarks_on_config({}), testing::IsEmpty());
  EXPECT_THAT(remarks_on_config({"rope", "moe"}),
              testing::ElementsAre("config.json has keys that are not known and have no effect: rope, moe"));
}

}  // namespace
}  // namespace portatune::run
