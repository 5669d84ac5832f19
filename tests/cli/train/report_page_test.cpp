// The command report. tests/analysis/report has the tests of the page.
#include <gmock/gmock.h>

#include "cli/program.h"
#include "io/temporary_folder.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ReportPage : public testing::Test {
 protected:
  std::string add_run(const std::string& name, const std::string& log) {
    std::filesystem::create_directory(folder_ / name);
    write(folder_ / name / "metrics.jsonl", log);
    return (folder_ / name).string();
  }

  const TemporaryFolder folder_;
  const std::string page_ = (folder_ / "page.html").string();
};

TEST_F(ReportPage, HasTheRunsInTheirOrder) {
  const std::string a = add_run("a", "{\"step\":1,\"loss\":0.25}\n"), b = add_run("b", "{\"step\":1,\"loss\":0.75}\n");
  const Finished run = portatune({"report", b, a, "--output", page_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, page_ + "\n");
  const std::string text = read(page_);
  EXPECT_LT(text.find("\"values\":[0.75]"), text.find("\"values\":[0.25]"));
}

TEST_F(ReportPage, GoesToStandardOutputAlone) {
  const Finished run = portatune({"report", add_run("a", ""), "--output", "-"});
  EXPECT_THAT(run.out, AllOf(testing::StartsWith("<!doctype html>"), testing::EndsWith("</html>\n")));
}

TEST_F(ReportPage, AFaultLeavesTheOlderPage) {
  write(page_, "older");
  const Finished no_log = portatune({"report", folder_.path().string(), "--output", page_});
  EXPECT_EQ(no_log.exit_code, 66);
  EXPECT_THAT(no_log.err, HasSubstr("no file metrics.jsonl"));
  const Finished damaged = portatune({"report", add_run("a", "{\n"), "--output", page_});
  EXPECT_EQ(damaged.exit_code, 65);
  EXPECT_THAT(damaged.err, HasSubstr("metrics.jsonl:1"));
  EXPECT_EQ(read(page_), "older");
}

TEST_F(ReportPage, ReplacesAnEarlierReportAlone) {
  const std::string run = add_run("a", "");
  EXPECT_EQ(portatune({"report", run, "--output", page_}).exit_code, 0);
  EXPECT_EQ(portatune({"report", run, "--output", page_}).exit_code, 0);
  write(page_, "mine");
  EXPECT_EQ(portatune({"report", run, "--output", page_}).exit_code, 73);
  EXPECT_EQ(read(page_), "mine");
}

}  // namespace
}  // namespace portatune::cli
