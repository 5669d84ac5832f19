#include "portatune/run/predictions/prediction_lines.h"

#include <gmock/gmock.h>

namespace portatune::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LinesOf, HaveNoNewlines) {
  EXPECT_THAT(lines_of("{}\n{\"row\":1}\n"), ElementsAre("{}", "{\"row\":1}"));
  EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(LinesOf, TheLastOneMayLackItsNewline) { EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b")); }

}  // namespace
}  // namespace portatune::run
