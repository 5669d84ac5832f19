#include "portatune/cli/process/command_events.h"

#include <gmock/gmock.h>

namespace portatune::cli {
namespace {

using testing::HasSubstr;

// Without a caught signal, the stop request comes from another process of the group.
TEST(CommandEvents, NameTheSignalToAnotherProcess) {
  const FitArguments arguments;
  CommandEvents events(arguments);
  testing::internal::CaptureStderr();
  events.stopped(3, "tuned/checkpoint-3");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("stopped by a signal to another process after step 3"));
  testing::internal::CaptureStderr();
  events.unmeasured("dev.csv");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("stopped by a signal to another process; the model is saved, and not measured on \"dev.csv\""));
}

}  // namespace
}  // namespace portatune::cli
