#include "portatune/analysis/report/run_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::report {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class RunLogTest : public testing::Test {
 protected:
  RunLog read(std::string_view text) {
    write_text(file_, text);
    return read_log(file_);
  }
  std::string error_of(std::string_view text) {
    try {
      read(text);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / kLogFile;
};

testing::Matcher<Point> point(int64_t step, double value) {
  return AllOf(Field(&Point::step, step), Field(&Point::value, value));
}

TEST_F(RunLogTest, SeparatesTrainingFromEvaluation) {
  const RunLog log = read(
      R"({"step":0,"epoch":0.0,"eval_loss":0.69}
{"step":10,"epoch":0.5,"loss":0.6812,"learning_rate":4.94e-05}
{"step":20,"epoch":1.0,"loss":0.5}
{"step":20,"epoch":1.0,"eval_loss":0.42}
)");
  EXPECT_THAT(log.training, UnorderedElementsAre(Pair("epoch", ElementsAre(point(10, 0.5), point(20, 1.0))),
                                                 Pair("loss", ElementsAre(point(10, 0.6812), point(20, 0.5))),
                                                 Pair("learning_rate", ElementsAre(point(10, 4.94e-05)))));
  EXPECT_THAT(log.evaluation, UnorderedElementsAre(Pair("epoch", SizeIs(2)),
                                                   Pair("eval_loss", ElementsAre(point(0, 0.69), point(20, 0.42)))));
}

TEST_F(RunLogTest, ANullIsANumberThatWasNotFinite) {
  const RunLog log = read("{\"step\":10,\"loss\":null}\n");
  EXPECT_TRUE(std::isnan(log.training.at("loss").at(0).value));
}

TEST_F(RunLogTest, AResumptionReplacesLaterSteps) {
  const RunLog log = read(
      R"({"step":10,"loss":3}
{"step":20,"loss":2}
{"step":20,"eval_loss":2.5}
{"step":10,"resumed":true,"seconds":45.2}
{"step":20,"loss":1}
)");
  EXPECT_THAT(log.training.at("loss"), ElementsAre(point(10, 3), point(20, 1)));
  EXPECT_THAT(log.evaluation, SizeIs(0));
  EXPECT_THAT(log.resumptions, ElementsAre(10));
}

TEST_F(RunLogTest, DropsAnIncompleteLastLine) {
  EXPECT_THAT(read("{\"step\":10,\"loss\":3}\n{\"step\":20,\"lo").training.at("loss"), SizeIs(1));
  EXPECT_THAT(read("{\"st").training, SizeIs(0));
}

TEST_F(RunLogTest, ErrorNamesFileAndLine) {
  for (const char* bad :
       {"{\"step\":20,\"lo", "{\"loss\":1}", "{\"step\":20,\"loss\":\"low\"}", "7", "{\"step\":2.5}"}) {
    const std::string error = error_of(std::string("{\"step\":10,\"loss\":3}\n") + bad + "\n");
    EXPECT_THAT(error, HasSubstr(file_.string() + ":2\n")) << bad;
    EXPECT_THAT(error, HasSubstr(std::string("given     '") + bad + "'"));
    EXPECT_THAT(error, HasSubstr("expected  an object of numbers"));
  }
}

TEST_F(RunLogTest, AMissingFileIsAnError) { EXPECT_THROW(read_log(folder_.path() / "none"), NotFoundError); }

}  // namespace
}  // namespace portatune::report
