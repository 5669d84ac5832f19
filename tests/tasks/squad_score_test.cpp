// Comparison with the official evaluator: tests/oracle/tasks/make_question_answering_cases.py.
#include "portatune/tasks/metrics/squad_score.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace portatune::tasks {
namespace {

TEST(SquadScore, EqualsTheOfficialEvaluator) {
  const std::string golden = PORTATUNE_TEST_DATA "/tasks/question_answering.json";
  const nlohmann::json rows = nlohmann::json::parse(std::ifstream(golden))["scores"];
  ASSERT_EQ(rows.size(), 20u);
  for (const nlohmann::json& row : rows) {
    const std::string given = row["given"];
    const AnswerScore score = score_answer(given, row["expected"].get<std::vector<std::string>>());
    EXPECT_EQ(normalized_answer(given), row["normalized"]) << row;
    EXPECT_EQ(score.exact, row["exact"]) << row;
    EXPECT_NEAR(score.f1, row["f1"].get<double>(), 1e-12) << row;
  }
}

}  // namespace
}  // namespace portatune::tasks
