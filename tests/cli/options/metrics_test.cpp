// --metrics. The values are tested in tests/tasks/classification_metrics_test.cpp.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

Words keys_of(const ordered_json& object) {
  Words keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(Metrics, AreChosenByName) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1", "--json", "--metrics", "recall,brier_score"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(keys_of(ordered_json::parse(run.out)["after"]), ElementsAre("loss", "recall", "brier_score"));

  const Words evaluate = {"evaluate", "--model", toy.output(), "--data", toy.file("validation.csv"), "--json"};
  const auto scores = [&](const Words& more) { return keys_of(ordered_json::parse(portatune(evaluate + more).out)); };
  EXPECT_THAT(scores({}), IsSupersetOf({"accuracy", "f1", "matthews_correlation", "roc_auc"}));
  EXPECT_THAT(scores({"--metrics", "all"}), IsSupersetOf({"accuracy", "average_precision", "ece", "f1_weighted"}));
}

TEST(Metrics, OfOtherNamesAreRefused) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--metrics", "accuracy,f3"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(unwrapped(run.err), HasSubstr("'f3'"));
  EXPECT_THAT(unwrapped(run.err), HasSubstr("f1_macro"));
  EXPECT_EQ(portatune(toy.fit({"--task", "causal-lm", "--metrics", "all"})).exit_code, 2);
}

}  // namespace
}  // namespace portatune::cli
