#include "portatune/run/output/report_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::run {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Warnings final : public Events {
 public:
  void warning(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

class ReportFiles : public testing::Test {
 protected:
  ReportFiles() {
    plan_.output = folder_.path();
    plan_.model.lengths = {16, 32};
  }
  void add_log(const std::string& text) { write_text(folder_ / "metrics.jsonl", text); }
  void write(const std::function<Json()>& step_cost = {}) {
    const DataSurvey train{.rows = 5,
                           .examples = 4,
                           .classes = {{"no", 1}, {"yes", 3}},
                           .lengths = {{7, 3}, {20, 1}},
                           .cut_texts = 2,
                           .files = {{"https://me:secret@host/a.csv", 5}}};
    const std::vector<ValidationSet> sets = {{"far", data::from_examples({}), data::from_examples({})},
                                             {"near", data::from_examples({}), data::from_examples({})}};
    const std::vector<std::optional<DataSurvey>> surveys = {std::nullopt,
                                                            DataSurvey{.rows = 2, .examples = 2, .numbers = {{-1, 3}}}};
    write_report({.plan = plan_,
                  .train = train,
                  .validation = sets,
                  .surveys = surveys,
                  .saved_step = 300,
                  .step_cost = step_cost},
                 events_);
  }
  std::vector<std::string> names() const { return cli::names_in(folder_.path()); }

  const TemporaryFolder folder_;
  RunPlan plan_{RunOptions{}};
  Warnings events_;
};

TEST_F(ReportFiles, HaveTheFactsAboutTheData) {
  add_log("{\"step\":10,\"loss\":0.5}\n");
  write();
  EXPECT_THAT(names(), ElementsAre("metrics.jsonl", "report.html", "report.json"));
  EXPECT_EQ(json::parse(cli::read(folder_ / "report.json")), json::parse(R"({
      "data": [{"name": "training", "rows": 5, "examples": 4, "classes": [["no", 1], ["yes", 3]], "tokens": 41,
                "longest": 20, "truncated": 2, "files": [["https://...@host/a.csv", 5]]},
               {"name": "near", "rows": 2, "examples": 2, "classes": [], "labels": [-1, 3]}],
      "lengths": {"counts": [[7, 3], [20, 1]], "batches": [16, 32], "packed": false},
      "saved_step": 300})"));
  EXPECT_THAT(cli::read(folder_ / "report.html"), HasSubstr("\"counts\":[[7,3],[20,1]]"));
}

TEST_F(ReportFiles, OfPackedBatchesHaveTheLengthOfTheirRows) {
  add_log("{\"step\":10,\"loss\":0.5}\n");
  plan_.packed = data::PackedShapes{.length = 128};
  write();
  const json lengths = json::parse(cli::read(folder_ / "report.json")).at("lengths");
  EXPECT_EQ(lengths.at("batches"), json({128}));
  EXPECT_EQ(lengths.at("packed"), true);
}

TEST_F(ReportFiles, AreNotWrittenWithoutALog) {
  write();
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ReportFiles, AreSkippedAfterAStopRequest) {
  add_log("{\"step\":10,\"loss\":0.5}\n");
  write([]() -> Json { throw Stopped(); });
  EXPECT_THAT(names(), ElementsAre("metrics.jsonl"));
  EXPECT_THAT(events_.texts, IsEmpty());
}

TEST_F(ReportFiles, AreNotWorthTheEndOfARun) {
  add_log("damaged\n");
  write();
  EXPECT_THAT(events_.texts, ElementsAre(HasSubstr("metrics.jsonl:1: 'damaged'")));
}

}  // namespace
}  // namespace portatune::run
