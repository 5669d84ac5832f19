// Runs that evaluate at steps, save their best model and stop early.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/output/run_checkpoints.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::run {
namespace {

using cli::Toy;
using testing::ElementsAre;
using testing::HasSubstr;

// Two epochs of four steps, evaluated every two steps. The highest loss, of an early step, counts as the best score.
RunOptions evaluation_options(const Toy& toy, const std::string& output) {
  RunOptions options;
  options.model.folder = cli::tiny_bert();
  options.model.options.of<TextClassificationRunOptions>().max_length = 16;
  options.train = {toy.file("train.csv")};
  options.validation = {toy.file("validation.csv")};
  options.output = toy.file(output);
  options.batch_size = 16;
  options.epochs = 2;
  options.eval_steps = 2;
  options.best_model.greater_is_better = true;
  options.training.learning_rate = 1e-2;
  options.device.plugin = std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so";
  return options;
}

RunOptions with_best_model(RunOptions options) {
  options.best_model.load_at_end = true;
  options.best_model.metric = "loss";
  return options;
}

// Improvements are smaller than the threshold, so the second evaluation ends the run.
RunOptions with_early_stopping(RunOptions options) {
  options.best_model.early_stopping_patience = 1;
  options.best_model.early_stopping_threshold = 1e9;
  return options;
}

// Notes evaluations, and requests a stop after a step.
class Observed final : public Events {
 public:
  explicit Observed(int64_t stop_after = 0) : stop_after_(stop_after) {}

  void notice(const std::string& text) override { notices += text + "\n"; }
  void alert(const std::string& text) override { notices += text + "\n"; }
  std::unique_ptr<TrainingObserver> training(const FitOptions&, RowProgress&) override {
    return std::make_unique<Observer>(*this);
  }

  std::string notices;
  std::vector<int64_t> evaluations;
  int64_t steps = 0;

 private:
  class Observer final : public TrainingObserver {
   public:
    explicit Observer(Observed& events) : events_(events) {}
    void on_evaluation(int64_t step, double, const Scores&) override { events_.evaluations.push_back(step); }
    bool should_stop() override { return events_.stop_after_ > 0 && events_.steps >= events_.stop_after_; }

   private:
    void on_counted_step(const StepResult&, int64_t) override { ++events_.steps; }

    Observed& events_;
  };

  const int64_t stop_after_;
};

Outcome outcome_of(const RunOptions& options) {
  Observed events;
  return fit(options, events).value();
}

std::string weights_in(const std::filesystem::path& folder) { return cli::read(folder / "model.safetensors"); }

Scores scores_of_model(const RunOptions& options) {
  EvaluateOptions evaluation;
  evaluation.model.folder = options.output;
  evaluation.data = options.validation;
  evaluation.batch_size = options.batch_size;
  evaluation.device = options.device;
  Events unobserved;
  return evaluate(evaluation, unobserved).scores;
}

// Batches of another length may change the last bits.
void expect_near(const Scores& scores, const Scores& expected) {
  ASSERT_EQ(scores.size(), expected.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].first, expected[i].first);
    EXPECT_NEAR(scores[i].second, expected[i].second, 1e-5);
  }
}

std::vector<std::string> checkpoints_in(const RunOptions& options) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(options.output)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("checkpoint-")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

TEST(BestModelOfARun, IsSavedWithItsScores) {
  const Toy toy;
  const RunOptions options = with_best_model(evaluation_options(toy, "best"));
  Observed events;
  const Outcome outcome = fit(options, events).value();
  EXPECT_THAT(events.evaluations, ElementsAre(2, 4, 6, 8));
  ASSERT_LT(outcome.best_step, 8);
  EXPECT_EQ(outcome.model_step, outcome.best_step);
  EXPECT_EQ(outcome.steps, 8);
  const std::string best = "checkpoint-" + std::to_string(outcome.best_step);
  EXPECT_THAT(checkpoints_in(options), ElementsAre(best, "checkpoint-8"));
  EXPECT_EQ(weights_in(options.output), weights_in(options.output / best));
  expect_near(outcome.after.value(), scores_of_model(options));
  EXPECT_THAT(events.notices, HasSubstr("the model is that of step " + std::to_string(outcome.best_step)));
}

// One class has no AUC.
TEST(BestModelOfARun, IsTheLastOneWhereItsScoreIsNeverDefined) {
  const Toy toy;
  cli::write(toy.file("validation.csv"), "text,label\nthe film was good,1\nthe play was fine,1\n");
  RunOptions options = with_best_model(evaluation_options(toy, "best"));
  options.best_model.metric = "roc_auc";
  options.best_model.greater_is_better.reset();
  const Outcome outcome = outcome_of(options);
  EXPECT_EQ(outcome.best_step, 0);
  EXPECT_EQ(outcome.model_step, outcome.steps);
  options.best_model.metric = "roc_acu";
  options.output = toy.file("misspelt");
  EXPECT_THAT(message_of<UsageError>([&] { outcome_of(options); }), HasSubstr("roc_auc"));
}

TEST(BestModelOfARun, IsTheSameAfterAStop) {
  const Toy toy;
  RunOptions options = with_best_model(evaluation_options(toy, "whole"));
  const Outcome whole = outcome_of(options);
  const std::string weights = weights_in(options.output);
  for (const int64_t step : {3, 5}) {
    options.output = toy.file("stopped-" + std::to_string(step));
    Observed stop(step);
    EXPECT_FALSE(fit(options, stop));
    RunOptions resumed = options;
    resumed.resume = true;
    const Outcome outcome = outcome_of(resumed);
    EXPECT_EQ(outcome.best_step, whole.best_step);
    EXPECT_EQ(outcome.after, whole.after);
    EXPECT_EQ(weights_in(options.output), weights);
  }
}

TEST(BestModelOfARun, UnknownScoreIsAnErrorBeforeTraining) {
  const Toy toy;
  RunOptions options = evaluation_options(toy, "out");
  options.best_model.metric = "eval_bleu";
  for (const bool on_start : {true, false}) {
    options.eval_on_start = on_start;
    Observed events;
    EXPECT_THROW(fit(options, events), UsageError);
    EXPECT_EQ(events.steps, 0);
  }
}

TEST(BestModel, WithoutAValueOfItsScoreIsTheLastOne) {
  const Toy toy;
  cli::write(toy.file("validation.csv"), "text,label\nthe film was good,1\nthe play was good,1\n");  // no AUC
  RunOptions options = evaluation_options(toy, "out");
  options.best_model = {.metric = "roc_auc", .load_at_end = true};
  Observed events;
  const Outcome outcome = fit(options, events).value();
  EXPECT_EQ(outcome.model_step, 8);
  EXPECT_THAT(events.notices, HasSubstr("roc_auc, which decides about the best model, has no value in any evaluation"));
}

TEST(EarlyStopping, EndsARunWhichIsFinishedThen) {
  const Toy toy;
  RunOptions options = with_early_stopping(evaluation_options(toy, "early"));
  const Outcome outcome = outcome_of(options);
  EXPECT_EQ(outcome.steps, 4);
  EXPECT_TRUE(outcome.stopped_early);
  options.resume = true;
  Observed events;
  const Outcome again = fit(options, events).value();
  EXPECT_EQ(again.steps, 4);
  EXPECT_TRUE(again.stopped_early);
  EXPECT_EQ(events.steps, 0);
  EXPECT_THAT(events.notices, HasSubstr("stopped early after step 4"));
  options.best_model.early_stopping_patience = 2;
  EXPECT_THROW(fit(options, events), UsageError);
}

TEST(Evaluations, MeasureAllSetsEachTime) {
  const Toy toy;
  RunOptions options = evaluation_options(toy, "out");
  options.validation = {"a=" + toy.file("validation.csv"), "b=" + toy.file("train.csv")};
  options.best_model.metric = "b_loss";
  const Outcome outcome = outcome_of(options);
  EXPECT_GT(outcome.best_step, 0);
  std::vector<std::string> before, after;
  for (const auto& [name, value] : *outcome.before) before.push_back(name);
  for (const auto& [name, value] : *outcome.after) after.push_back(name);
  EXPECT_EQ(before, after);
  EXPECT_THAT(after, testing::IsSupersetOf({"a_loss", "b_loss", "a_accuracy", "b_accuracy"}));
}

TEST(Evaluations, AreNotMadeDuringTrainingOnRequest) {
  const Toy toy;
  RunOptions options = evaluation_options(toy, "out");
  options.eval_steps = 0;
  options.eval_strategy = EvalStrategy::kNo;
  options.best_model = {};
  Observed events;
  const Outcome outcome = fit(options, events).value();
  EXPECT_TRUE(events.evaluations.empty());
  expect_near(outcome.after.value(), scores_of_model(options));
}

// A copy of a table with its first rows.
std::string first_rows_of(const Toy& toy, const std::string& name, int64_t rows) {
  std::istringstream table(cli::read(toy.file(name)));
  std::string text, line;
  for (int64_t i = 0; i <= rows && std::getline(table, line); ++i) text += line + "\n";
  cli::write(toy.file("first-" + name), text);
  return toy.file("first-" + name);
}

TEST(MaxSamples, AreTheFirstRows) {
  const Toy toy;
  RunOptions limited = evaluation_options(toy, "limited"), cut = evaluation_options(toy, "cut");
  limited.max_train_samples = 40;
  limited.max_eval_samples = 10;
  cut.train = {first_rows_of(toy, "train.csv", 40)};
  cut.validation = {first_rows_of(toy, "validation.csv", 10)};
  const Outcome outcome = outcome_of(limited);
  EXPECT_EQ(outcome.train_examples, 40);
  EXPECT_EQ(outcome.after, outcome_of(cut).after);
  EXPECT_EQ(weights_in(limited.output), weights_in(cut.output));
}

// A quarter of eight steps is two.
TEST(PartsOfSteps, GiveTheRunOfTheirNumbers) {
  const Toy toy;
  RunOptions whole = with_best_model(evaluation_options(toy, "whole"));
  whole.checkpoint_every = 4;
  const Outcome expected = outcome_of(whole);
  RunOptions parts = whole;
  parts.output = toy.file("parts");
  parts.eval_steps = 0.25;
  parts.checkpoint_every = 0.5;
  Observed stop(3);
  EXPECT_FALSE(fit(parts, stop));
  parts.resume = true;
  Observed rest;
  const std::optional<Outcome> outcome = fit(parts, rest);
  ASSERT_TRUE(outcome);
  EXPECT_THAT(stop.evaluations, ElementsAre(2));
  EXPECT_THAT(rest.evaluations, ElementsAre(4, 6, 8));
  EXPECT_EQ(outcome->best_step, expected.best_step);
  EXPECT_EQ(weights_in(parts.output), weights_in(whole.output));
  EXPECT_EQ(checkpoints_in(parts), checkpoints_in(whole));
  const auto options = nlohmann::json::parse(cli::read(parts.output / "training_args.json"))["options"];
  EXPECT_EQ(options["eval_steps"], 2);
  EXPECT_EQ(options["save_steps"], 4);
  const auto state = nlohmann::json::parse(cli::read(parts.output / "trainer_state.json"));
  EXPECT_EQ(state["eval_steps"], 2);
  EXPECT_EQ(state["save_steps"], 4);
}

TEST(EvalDelay, PostponesTheFirstEvaluation) {
  const Toy toy;
  RunOptions options = with_best_model(evaluation_options(toy, "steps"));
  options.eval_delay = 5;
  Observed events;
  EXPECT_GE(fit(options, events).value().best_step, 6);
  EXPECT_THAT(events.evaluations, ElementsAre(6, 8));
  options.resume = true;
  options.eval_delay = 3;
  EXPECT_THROW(fit(options, events), UsageError);  // another model might be the best
  options.resume = false;
  options.eval_delay = 9;
  options.output = toy.file("never");
  EXPECT_THAT(message_of<UsageError>([&] { outcome_of(options); }), HasSubstr("eval_delay"));
}

TEST(EvalDelay, MayLeaveTheEvaluationAfterTrainingAlone) {
  const Toy toy;
  RunOptions options = evaluation_options(toy, "out");
  options.eval_steps = 0;
  options.best_model = {};
  options.eval_delay = 2.5;
  Observed events;
  const Outcome outcome = fit(options, events).value();
  EXPECT_TRUE(events.evaluations.empty());
  expect_near(outcome.after.value(), scores_of_model(options));
}

TEST(Strategies, FollowFromOtherOptions) {
  RunOptions options;
  EXPECT_EQ(eval_strategy_of(options), EvalStrategy::kEpoch);
  EXPECT_EQ(save_strategy_of(options), SaveStrategy::kNo);
  options.best_model.load_at_end = true;
  EXPECT_EQ(save_strategy_of(options), SaveStrategy::kEpoch);
  options.eval_steps = 50;
  EXPECT_EQ(eval_strategy_of(options), EvalStrategy::kSteps);
  EXPECT_EQ(save_strategy_of(options), SaveStrategy::kSteps);
  EXPECT_EQ(save_steps_of(options), 50);
  options.checkpoint_every = 200;
  EXPECT_EQ(save_steps_of(options), 200);
}

TEST(Strategies, RejectContradictions) {
  const std::vector<std::function<void(RunOptions&)>> faults = {
      [](RunOptions& a) { a.eval_strategy = EvalStrategy::kSteps, a.eval_steps = 0; },
      [](RunOptions& a) { a.eval_strategy = EvalStrategy::kEpoch; },
      [](RunOptions& a) { a.save_strategy = SaveStrategy::kSteps, a.eval_steps = 0; },
      [](RunOptions& a) { a.save_strategy = SaveStrategy::kEpoch, a.checkpoint_every = 5; },
      [](RunOptions& a) { a.save_strategy = SaveStrategy::kBest, a.validation.clear(); },
      [](RunOptions& a) { a.best_model.load_at_end = true, a.validation.clear(); },
      [](RunOptions& a) {
        a.best_model.early_stopping_patience = 1, a.eval_strategy = EvalStrategy::kNo, a.eval_steps = 0;
      }};
  RunOptions valid;
  valid.validation = {"dev.csv"};
  valid.eval_steps = 50;
  check_strategies(valid);
  for (size_t i = 0; i < faults.size(); ++i) {
    RunOptions options = valid;
    faults[i](options);
    EXPECT_THROW(check_strategies(options), UsageError) << i;
  }
}

TEST(DiskSpace, CountsTheBestCheckpoint) {
  RunOptions options;
  options.model.folder = cli::tiny_bert();
  options.output = "none";
  options.keep_checkpoints = 1;
  options.eval_steps = 2;
  const auto saves = [&] {
    FitOptions all{.num_train_epochs = 2, .steps_per_epoch = 4, .eval_steps = 2, .best_model = options.best_model};
    all.checkpoints = checkpoints_of(options, 8);
    return saves_of(RunPlan(options), 0, all);
  };
  EXPECT_EQ(saves().checkpoints, 0);
  options.best_model.load_at_end = true;
  EXPECT_EQ(saves().checkpoints, 4);
  EXPECT_EQ(saves().kept, 2);
}

}  // namespace
}  // namespace portatune::run
