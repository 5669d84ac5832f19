#include "portatune/run/records/metrics_log.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cli/program.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;

constexpr const char* kLines =
    "{\"step\":0,\"eval_loss\":0.7}\n"
    "{\"step\":10,\"loss\":0.6}\n"
    "{\"step\":20,\"loss\":0.5}\n";

TEST(MetricsLog, HasTheLinesUntilAStep) {
  const TemporaryFolder folder;
  cli::write(folder / "metrics.jsonl", kLines);
  EXPECT_THAT(lines_until(folder / "metrics.jsonl", 10),
              ElementsAre(Json{{"step", 0}, {"eval_loss", 0.7}}, Json{{"step", 10}, {"loss", 0.6}}));
}

TEST(MetricsLog, DropsALineThatAKilledRunHasLeftUnfinished) {
  const TemporaryFolder folder;
  for (const char* rest : {"{\"step\":30,\"lo", "{\"step\":", "\"step\"", "{}", "[30]"}) {
    cli::write(folder / "metrics.jsonl", std::string(kLines) + rest);
    EXPECT_EQ(lines_until(folder / "metrics.jsonl", 100).size(), 3u) << rest;
  }
}

TEST(MetricsLog, IsEmptyWithoutAFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(lines_until(folder / "metrics.jsonl", 10).empty());
}

// A run that continues the log would otherwise lose what it cannot read.
TEST(MetricsLog, ErrorForAFileThatCannotBeRead) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "metrics.jsonl");
  EXPECT_THROW(lines_until(folder / "metrics.jsonl", 10), IoError);
}

TEST(MetricsLog, HasALineInTheFileAsSoonAsItIsAdded) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "metrics.jsonl";
  cli::write(file, "of an earlier run\n");
  MetricsLog log(file, {Json{{"step", 10}}});
  EXPECT_EQ(cli::read(file), "{\"step\":10}\n");
  log.add({{"step", 20}, {"loss", nullptr}});
  EXPECT_EQ(cli::read(file), "{\"step\":10}\n{\"step\":20,\"loss\":null}\n");
  EXPECT_EQ(log.lines().size(), 2u);
}

TEST(MetricsLog, NumbersHaveTheDigitsOfFloat32) {
  EXPECT_EQ(number(0.1F).dump(), "0.1");
  EXPECT_EQ(number(4.94e-05).dump(), "4.94e-05");
  EXPECT_EQ(number(1).dump(), "1.0");
  EXPECT_EQ(number(NAN).dump(), "null");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()).dump(), "null");
}

}  // namespace
}  // namespace portatune::run
