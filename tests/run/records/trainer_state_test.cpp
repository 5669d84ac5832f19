#include "portatune/run/records/trainer_state.h"

#include <gmock/gmock.h>

#include "cli/program.h"
#include "io/temporary_folder.h"

namespace portatune::run {
namespace {

const std::vector<Json> kLogLines = {
    {{"step", 10}, {"epoch", 0.5}, {"loss", 0.7}, {"learning_rate", 1e-3}, {"grad_norm", 2.0}, {"seconds", 1.0}},
    {{"step", 10}, {"resumed", true}, {"seconds", 1.5}},
    {{"step", 20}, {"epoch", 1.0}, {"eval_loss", 0.6}, {"eval_seconds", 3.0}}};

TEST(TrainerState, HasTheFieldsOfTransformers) {
  const Json golden = Json::parse(cli::read(PORTATUNE_TEST_DATA "/records/trainer_state.json"));
  const Json state = Json::parse(text_of({.step = 20, .total_steps = 40, .epoch = 1}, kLogLines));
  for (const auto& [name, value] : golden.items()) EXPECT_TRUE(state.contains(name)) << name;
  for (const auto& [name, value] : state.items()) EXPECT_TRUE(golden.contains(name)) << name;
  EXPECT_EQ(state["global_step"], 20);
  EXPECT_EQ(state["epoch"], 1.0);
}

TEST(TrainerState, HasTheBestEvaluation) {
  const Json state =
      Json::parse(text_of({.step = 20, .best_step = 20, .best_checkpoint = "out/checkpoint-20"}, kLogLines));
  EXPECT_EQ(state["best_global_step"], 20);
  EXPECT_EQ(state["best_metric"], 0.6);
  EXPECT_EQ(state["best_model_checkpoint"], "out/checkpoint-20");
  const Json none = Json::parse(text_of({.step = 20}, kLogLines));
  for (const char* name : {"best_global_step", "best_metric", "best_model_checkpoint"}) {
    EXPECT_TRUE(none[name].is_null()) << name;
  }
}

TEST(TrainerState, MayNameAFolderThatIsNotUtf8) {
  const Json state = Json::parse(text_of({.step = 20, .best_step = 20, .best_checkpoint = "\xf6/checkpoint-20"}, {}));
  EXPECT_EQ(state["best_model_checkpoint"], "\xef\xbf\xbd/checkpoint-20");
}

TEST(TrainerState, HistoryHasWhatTransformersLogs) {
  const Json state = Json::parse(text_of({.step = 20, .total_steps = 40}, kLogLines));
  EXPECT_EQ(state["log_history"],
            Json({{{"step", 10}, {"epoch", 0.5}, {"loss", 0.7}, {"learning_rate", 1e-3}, {"grad_norm", 2.0}},
                  {{"step", 20}, {"epoch", 1.0}, {"eval_loss", 0.6}, {"eval_runtime", 3.0}}}));
}

// The names and the number of steps are those of transformers' speed_metrics() and evaluation_loop().
TEST(TrainerState, HistoryHasTheSpeedOfEvaluationsAndOfTheTraining) {
  std::vector<Json> lines = kLogLines;
  lines.push_back({{"step", 20}, {"epoch", 1.0}, {"train_runtime", 4.0}, {"train_loss", 0.65}});
  const Json history = Json::parse(text_of({.step = 20, .eval_examples = 48, .eval_batches = 6}, lines))["log_history"];
  EXPECT_EQ(history[1]["eval_samples_per_second"], 16);
  EXPECT_EQ(history[1]["eval_steps_per_second"], 2);
  EXPECT_EQ(history[2], Json({{"step", 20}, {"epoch", 1.0}, {"train_runtime", 4.0}, {"train_loss", 0.65}}));
}

TEST(TrainerState, KeepsWhatAResumedRunNeeds) {
  const TemporaryFolder folder;
  cli::write(folder / "trainer_state.json", text_of({}, kLogLines, Json{{"steps", 3}}));
  EXPECT_EQ(own_state_in(folder.path()), (Json{{"steps", 3}}));
}

TEST(TrainerState, OfAnotherProgramHasNothingOfThat) {
  const TemporaryFolder folder;
  EXPECT_TRUE(own_state_in(folder.path()).is_null());
  for (const char* text : {"{", "[]", "{}", "{\"stateful_callbacks\": null}", "{\"stateful_callbacks\": {}}"}) {
    cli::write(folder / "trainer_state.json", text);
    EXPECT_TRUE(own_state_in(folder.path()).is_null()) << text;
  }
}

}  // namespace
}  // namespace portatune::run
