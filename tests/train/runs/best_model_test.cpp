// Evaluations at steps, the best model and early stopping, compared with transformers' Trainer, and their resumption.
#include "portatune/train/evaluation/best_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "train/counting_task.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Steps = std::vector<int64_t>;

// Decisions of transformers: tests/oracle/train/make_best_model_cases.py.
json golden_decisions() { return json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/best_model.json")); }

std::vector<double> scores_of(const json& expected) {
  std::vector<double> scores;
  for (const json& score : expected["scores"]) scores.push_back(score.is_null() ? NAN : score.get<double>());
  return scores;
}

SaveStrategy strategy_called(const std::string& name) {
  if (name == "no") return SaveStrategy::kNo;
  if (name == "best") return SaveStrategy::kBest;
  return name == "epoch" ? SaveStrategy::kEpoch : SaveStrategy::kSteps;
}

// The options of a case in `folder`, with the names of transformers' TrainingArguments.
FitOptions options_of(const json& given, const data::Dataset& validation, const std::filesystem::path& folder) {
  FitOptions options{.num_train_epochs = 3, .validation = {{validation}}};
  if (given["eval_strategy"] == "steps") options.eval_steps = given["eval_steps"];
  options.eval_delay = given.value("eval_delay", 0.0);
  BestModelOptions& best = options.best_model;
  best.metric = given.value("metric_for_best_model", "");
  if (given.contains("greater_is_better")) best.greater_is_better = given["greater_is_better"].get<bool>();
  best.load_at_end = given.value("load_best_model_at_end", false);
  best.early_stopping_patience = given.value("early_stopping_patience", 0);
  best.early_stopping_threshold = given.value("early_stopping_threshold", 0.0);
  options.checkpoints = {.folder = folder,
                         .strategy = strategy_called(given["save_strategy"]),
                         .every = given.value("save_steps", 0),
                         .keep = given.value("save_total_limit", 100)};
  return options;
}

struct Killed {};

// Notes evaluations and checkpoints. Ends fit() by a request after a step, or by an exception after the evaluation of a
// step and before the checkpoint that may follow.
class Recorder final : public Callback {
 public:
  explicit Recorder(int64_t stop_after = 0, int64_t kill_after = 0)
      : stop_after_(stop_after), kill_after_(kill_after) {}

  void on_step(const StepResult& result, int64_t) override { step_ = result.step(); }
  void on_evaluation(int64_t step, double epoch, const Scores& scores) override {
    if (step == kill_after_) throw Killed();
    evaluations.push_back(step);
    epochs.push_back(epoch);
    last_scores = scores;
  }
  void on_checkpoint(const std::filesystem::path& folder) override { saves.push_back(step_in(folder)); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }
  bool should_stop() override { return stop_after_ > 0 && step_ >= stop_after_; }

  static int64_t step_in(const std::filesystem::path& checkpoint) {
    return std::stoll(checkpoint.filename().string().substr(std::string("checkpoint-").size()));
  }

  Steps evaluations, saves;
  std::vector<double> epochs;
  std::vector<std::string> warnings;
  Scores last_scores;

 private:
  const int64_t stop_after_, kill_after_;
  int64_t step_ = 0;
};

Steps checkpoints_in(const std::filesystem::path& folder) {
  Steps steps;
  for (const train::SavedCheckpoint& checkpoint : train::checkpoints_in(folder)) steps.push_back(checkpoint.step);
  return steps;
}

void expect_decisions(const json& expected, const FitResult& result, const Trainer& trainer) {
  EXPECT_EQ(result.steps, expected["steps"]);
  EXPECT_EQ(result.model_step, expected["model_step"]);
  EXPECT_EQ(steps_in_weights(trainer), expected["model_step"]);
  // transformers does not note the best step of a run without checkpoints.
  if (!expected["best_step"].is_null()) {
    EXPECT_EQ(result.best_step, expected["best_step"]);
  }
  EXPECT_EQ(result.stopped_early, expected["steps"] < 12);
  EXPECT_FALSE(result.stopped);
}

TEST(BestModel, DecidesAsTransformers) {
  const json golden = golden_decisions();
  for (const json& expected : golden["cases"]) {
    SCOPED_TRACE(expected["options"].dump());
    const TemporaryFolder folder;
    CountingRun run(scores_of(expected));
    FitOptions options = options_of(expected["options"], counted_batches(1), folder.path());
    Recorder recorder;
    options.callback = &recorder;
    const FitResult result = run.trainer.fit(counted_batches(golden_decisions()["steps_per_epoch"]), options);
    const json& decisions = expected["decisions"];
    expect_decisions(decisions, result, run.trainer);
    EXPECT_EQ(recorder.evaluations, decisions["evaluations"].get<Steps>());
    EXPECT_EQ(recorder.saves, decisions["saves"].get<Steps>());
    EXPECT_THAT(recorder.warnings, IsEmpty());
    // The end of a run keeps one checkpoint of two if that is the limit.
    train::remove_old_checkpoints(folder.path(), options.checkpoints.keep, result.best_step, {});
    EXPECT_EQ(checkpoints_in(folder.path()), decisions["checkpoints"].get<Steps>());
  }
}

// Runs a case until the recorder ends it, and again from the checkpoint that is there then.
FitResult fit_with_interruption(const json& expected, Recorder first, const std::filesystem::path& folder,
                                std::optional<CountingRun>& run) {
  const std::vector<double> scores = scores_of(expected);
  const data::Dataset batches = counted_batches(golden_decisions()["steps_per_epoch"]);
  FitOptions options = options_of(expected["options"], counted_batches(1), folder);
  {
    CountingRun interrupted(scores);
    options.callback = &first;
    try {
      const FitResult result = interrupted.trainer.fit(batches, options);
      if (result.stopped) interrupted.trainer.save_checkpoint(train::checkpoint_path(folder, result.steps));
    } catch (const Killed&) {
    }
  }
  options.callback = nullptr;
  run.emplace(scores, train::newest_checkpoint(folder).path);
  return run->trainer.fit(batches, options);
}

TEST(BestModel, DecidesTheSameAfterAStop) {
  const json golden = golden_decisions();
  for (const json& expected : golden["cases"]) {
    for (const int64_t step : {3, 4, 6, 10}) {
      SCOPED_TRACE(expected["options"].dump() + ", stopped after step " + std::to_string(step));
      const TemporaryFolder folder;
      std::optional<CountingRun> run;
      const FitResult result = fit_with_interruption(expected, Recorder(step), folder.path(), run);
      expect_decisions(expected["decisions"], result, run->trainer);
    }
  }
}

TEST(BestModel, DecidesTheSameAfterACrashBetweenEvaluationAndCheckpoint) {
  const json golden = golden_decisions();
  for (const json& expected : golden["cases"]) {
    for (const int64_t step : expected["decisions"]["evaluations"]) {
      SCOPED_TRACE(expected["options"].dump() + ", killed after step " + std::to_string(step));
      const TemporaryFolder folder;
      std::optional<CountingRun> run;
      const FitResult result = fit_with_interruption(expected, Recorder(0, step), folder.path(), run);
      expect_decisions(expected["decisions"], result, run->trainer);
    }
  }
}

TEST(BestModel, ScoresAreThoseOfTheModel) {
  const TemporaryFolder folder;
  CountingRun run({0.5, 0.9, 0.7});
  const FitResult result = run.trainer.fit(
      counted_batches(1), {.validation = {{counted_batches(1)}},
                           .best_model = {.metric = "score", .load_at_end = true},
                           .checkpoints = {.folder = folder.path(), .strategy = SaveStrategy::kNo, .keep = 1}});
  EXPECT_EQ(result.model_step, 2);
  EXPECT_THAT(result.scores, testing::Contains(testing::Pair("score", 0.9)));
  EXPECT_EQ(checkpoints_in(folder.path()), Steps{2});  // the first best one is no longer needed
}

TEST(BestModel, IsRestoredOnAMesh) {
  const TemporaryFolder folder;
  const Device devices({.mesh = {.data = 2, .tensor = 2}, .cache_folder = program_cache()});
  CountingRun run({0.5, 0.9, 0.7}, {}, devices);
  const FitResult result =
      run.trainer.fit(counted_batches(1, 2), {.validation = {{counted_batches(1, 2)}},
                                              .best_model = {.metric = "score", .load_at_end = true},
                                              .checkpoints = {.folder = folder.path()}});
  EXPECT_EQ(result.model_step, 2);
  EXPECT_EQ(steps_in_weights(run.trainer), 2);
}

TEST(BestModel, EachEvaluationMeasuresAllSets) {
  CountingRun run({0.5, 0.9, 0.7, 0.6});
  Recorder recorder;
  const FitResult result = run.trainer.fit(
      counted_batches(4), {.num_train_epochs = 1,
                           .validation = {{counted_batches(1), "first"}, {counted_batches(2), "second"}},
                           .eval_steps = 3,
                           .best_model = {.metric = "eval_second_score"},
                           .callback = &recorder});
  EXPECT_EQ(recorder.evaluations, (Steps{3, 4}));
  EXPECT_THAT(recorder.epochs, ElementsAre(0.75, 1));
  std::vector<std::string> names;
  for (const auto& [name, value] : result.scores) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("first_loss", "first_score", "first_my_loss", "second_loss", "second_score",
                                 "second_my_loss"));
  EXPECT_EQ(result.best_step, 3);
  EXPECT_EQ(recorder.last_scores, result.scores);
}

// The loss of the counting task falls with each step.
TEST(BestModel, IsChosenByTheLossOfTheFirstSetByDefault) {
  CountingRun run({0.5, 0.9, 0.7, 0.6});
  const FitResult result =
      run.trainer.fit(counted_batches(1), {.num_train_epochs = 4,
                                           .validation = {{counted_batches(1), "a"}, {counted_batches(1), "b"}},
                                           .best_model = {.early_stopping_patience = 1}});
  EXPECT_EQ(result.best_step, 4);
  EXPECT_FALSE(result.stopped_early);
}

// A file in the way of a checkpoint, until the warning about it.
struct Obstacle final : Callback {
  explicit Obstacle(std::filesystem::path checkpoint) : file(std::move(checkpoint)) {
    std::ofstream(file) << "not a checkpoint";
  }
  void on_checkpoint(const std::filesystem::path& saved) override { saves.push_back(Recorder::step_in(saved)); }
  void on_warning(const std::string& text) override {
    warnings.push_back(text);
    std::filesystem::remove(file);
  }

  const std::filesystem::path file;
  Steps saves;
  std::vector<std::string> warnings;
};

TEST(BestModel, IsSavedAtTheNextCheckpointOrAtTheEndIfItCouldNotBeSavedBefore) {
  for (const SaveStrategy strategy : {SaveStrategy::kEpoch, SaveStrategy::kBest}) {
    const TemporaryFolder folder;
    Obstacle disk(folder / "checkpoint-1");
    CountingRun run({0.9, 0.5, 0.5});
    const FitResult result =
        run.trainer.fit(counted_batches(1), {.num_train_epochs = 3,
                                             .validation = {{counted_batches(1)}},
                                             .best_model = {.metric = "score", .load_at_end = true},
                                             .checkpoints = {.folder = folder.path(), .strategy = strategy},
                                             .callback = &disk});
    EXPECT_THAT(disk.warnings, ElementsAre(HasSubstr("there is no checkpoint of step 1")));
    EXPECT_THAT(result.failed_checkpoints, IsEmpty());
    EXPECT_EQ(disk.saves, strategy == SaveStrategy::kEpoch ? (Steps{1, 2, 3}) : Steps{1});
    EXPECT_EQ(result.model_step, 1);
    EXPECT_EQ(steps_in_weights(run.trainer), 1);
  }
}

TEST(BestModel, AWarningNamesTheNextRegularCheckpoint) {
  const TemporaryFolder folder;
  Obstacle disk(folder / "checkpoint-1");
  CountingRun run({0.9, 0.5, 0.5, 0.5, 0.5, 0.5});
  run.trainer.fit(counted_batches(1), {.num_train_epochs = 6,
                                       .validation = {{counted_batches(1)}},
                                       .best_model = {.metric = "score", .load_at_end = true},
                                       .checkpoints = {.folder = folder.path(), .every = 4},
                                       .callback = &disk});
  EXPECT_THAT(disk.warnings, ElementsAre(HasSubstr("there is no checkpoint of step 1; the next one is due at step 4")));
}

// The counting task: the weights are the number of steps.
TEST(BestModel, ARunThatStoppedEarlyIsExtendedByMoreEpochsAlone) {
  const TemporaryFolder folder;
  const std::vector<double> scores = {0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  const auto fit = [&](CountingRun& run, int64_t epochs) {
    return run.trainer.fit(counted_batches(1), {.num_train_epochs = epochs,
                                                .validation = {{counted_batches(1)}},
                                                .best_model = {.metric = "score", .early_stopping_patience = 2},
                                                .checkpoints = {.folder = folder.path(), .every = 1}});
  };
  CountingRun first(scores);
  EXPECT_EQ(fit(first, 6).steps, 3);
  for (const auto& [epochs, steps] : {std::pair{6, 3}, {7, 5}}) {
    CountingRun again(scores, folder / "checkpoint-3");
    const FitResult result = fit(again, epochs);
    EXPECT_EQ(result.steps, steps);
    EXPECT_TRUE(result.stopped_early);
    EXPECT_EQ(result.best_step, 1);
    EXPECT_EQ(steps_in_weights(again.trainer), steps);
  }
}

TEST(BestModel, ErrorNamesTheScores) {
  CountingRun run({0.5});
  try {
    run.trainer.fit(counted_batches(1), {.validation = {{counted_batches(1)}}, .best_model = {.metric = "accuracy"}});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("accuracy"), HasSubstr("loss, score, my_loss")));
  }
}

TEST(BestModel, ErrorSuggestsTheNearestScore) {
  CountingRun run({0.5});
  try {
    run.trainer.fit(counted_batches(1), {.validation = {{counted_batches(1)}}, .best_model = {.metric = "scroe"}});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean score?"));
  }
}

TEST(BestModel, NeedsAnEvaluation) {
  CountingRun run({0.5});
  EXPECT_THROW(run.trainer.fit(counted_batches(1), {.best_model = {.early_stopping_patience = 1}}), UsageError);
  const TemporaryFolder folder;
  EXPECT_THROW(run.trainer.fit(counted_batches(1),
                               {.best_model = {.load_at_end = true}, .checkpoints = {.folder = folder.path()}}),
               UsageError);
}

TEST(BestModel, ALostCheckpointLeavesTheLastModel) {
  const TemporaryFolder folder;
  CountingRun run({0.9, 0.5});
  struct Remover final : Callback {
    void on_checkpoint(const std::filesystem::path& path) override { std::filesystem::remove_all(path); }
    void on_warning(const std::string& text) override { warning = text; }
    std::string warning;
  } remover;
  const FitResult result = run.trainer.fit(counted_batches(1), {.num_train_epochs = 2,
                                                                .validation = {{counted_batches(1)}},
                                                                .best_model = {.metric = "score", .load_at_end = true},
                                                                .checkpoints = {.folder = folder.path()},
                                                                .callback = &remover});
  EXPECT_EQ(result.model_step, 2);
  EXPECT_EQ(steps_in_weights(run.trainer), 2);
  EXPECT_THAT(remover.warning, HasSubstr("the best model, of step 1, has no valid checkpoint"));
  EXPECT_THAT(run.trainer.deviations(), ElementsAre(remover.warning));
}

const FitOptions kByMse = {.validation = {{counted_batches(1)}}, .best_model = {.metric = "mse"}};

TEST(BestModel, HasTheLowestError) {
  train::Evaluations evaluations;
  EXPECT_TRUE(train::add_evaluation(evaluations, 1, {{"loss", 1}, {"mse", 0.5}}, kByMse));
  EXPECT_TRUE(train::add_evaluation(evaluations, 2, {{"loss", 1}, {"mse", 0.25}}, kByMse));
  EXPECT_FALSE(train::add_evaluation(evaluations, 3, {{"loss", 1}, {"mse", 0.75}}, kByMse));
  EXPECT_EQ(evaluations.best_step, 2);
}

TEST(BestModel, AnUndefinedScoreIsNoImprovement) {
  train::Evaluations evaluations;
  EXPECT_TRUE(train::add_evaluation(evaluations, 1, {{"loss", 1}, {"mse", 0.5}}, kByMse));
  EXPECT_FALSE(train::add_evaluation(evaluations, 2, {{"loss", 1}}, kByMse));
  EXPECT_EQ(evaluations.without_improvement, 1);
  // Before the first one is known, the name is probably misspelt.
  train::Evaluations none;
  EXPECT_THROW(train::add_evaluation(none, 1, {{"loss", 1}}, kByMse), UsageError);
}

TEST(BestModel, AKnownScoreMayBeUndefinedAtFirst) {
  train::Evaluations evaluations;
  const train::ScoreNames known{"loss", "mse"};
  EXPECT_FALSE(train::add_evaluation(evaluations, 1, {{"loss", 1}}, kByMse, known));
  EXPECT_EQ(evaluations.best_step, 0);
  EXPECT_TRUE(train::add_evaluation(evaluations, 2, {{"loss", 1}, {"mse", 0.5}}, kByMse));
  EXPECT_FALSE(train::add_evaluation(evaluations, 3, {{"loss", 1}, {"mse", 0.6}}, kByMse));
  EXPECT_EQ(evaluations.best_step, 2);
}

}  // namespace
}  // namespace portatune::test
