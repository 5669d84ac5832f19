#include "portatune/cli/process/exit_code.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "portatune/run/output/output_error.h"

namespace portatune::cli {
namespace {

TEST(ExitCode, TellsDeniedAccessFromOtherFaultsByTheNumberOfTheSystem) {
  for (const int denied : {EACCES, EPERM, EROFS}) EXPECT_EQ(exit_code_of(IoError(Report{}, denied)), 77);
  EXPECT_EQ(exit_code_of(IoError(Report{}, ENOSPC)), 74);
  EXPECT_EQ(exit_code_of(IoError({.given = "Permission denied"})), 74);
}

TEST(ExitCode, IsThatOfTheKindOfError) {
  EXPECT_EQ(exit_code_of(UsageError(Report{})), 2);
  EXPECT_EQ(exit_code_of(DataError(Report{})), 65);
  EXPECT_EQ(exit_code_of(CheckpointError(Report{})), 65);
  EXPECT_EQ(exit_code_of(NotFoundError(Report{})), 66);
  EXPECT_EQ(exit_code_of(DeviceError(Report{})), 69);
  EXPECT_EQ(exit_code_of(ShapeError(Report{})), 70);
  EXPECT_EQ(exit_code_of(run::OutputError(Report{})), 73);
  EXPECT_EQ(exit_code_of(NumericError(Report{})), 76);
}

}  // namespace
}  // namespace portatune::cli
