// Decisions of torch.optim.lr_scheduler.ReduceLROnPlateau: tests/oracle/train/make_plateau_cases.py.
#include "portatune/train/plateau.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train/evaluation/best_model.h"
#include "portatune/train/options.h"
#include "portatune/train/schedule.h"
#include "tasks/sentences.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const TrainingOptions kOptions{.learning_rate = 1, .lr_scheduler_type = train::kReduceOnPlateau};

ScheduleOptions options_of(const json& parameters) {
  ScheduleOptions o;
  const auto read = [&](const char* name, auto& value) {
    if (parameters.contains(name)) value = parameters[name].get<std::decay_t<decltype(*value)>>();
  };
  read("factor", o.factor);
  read("patience", o.patience);
  read("threshold", o.threshold);
  read("threshold_mode", o.threshold_mode);
  read("cooldown", o.cooldown);
  read("min_lr", o.min_lr);
  read("mode", o.mode);
  return o;
}

TEST(Plateau, DecidesAsTorch) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/plateau.json"));
  for (const json& expected : golden["cases"]) {
    SCOPED_TRACE(expected["parameters"].dump());
    const ScheduleOptions options = options_of(expected["parameters"]);
    train::Plateau plateau;
    for (size_t i = 0; i < expected["scores"].size(); ++i) {
      const json& score = expected["scores"][i];
      plateau.add(score.is_null() ? std::nullopt : std::optional(score.get<double>()), options, false);
      for (size_t group = 0; group < 2; ++group) {
        EXPECT_EQ(train::reduced(golden["learning_rates"][group], options, plateau.reductions),
                  expected["rates"][i][group])
            << "evaluation " << i + 1 << ", group " << group;
      }
    }
  }
}

TEST(Plateau, ReducesTheRateOfTheSchedule) {
  EXPECT_EQ(train::learning_rate(kOptions, {.step = 7, .total_steps = 9}), 1);
  EXPECT_EQ(train::learning_rate(kOptions, {.step = 7, .total_steps = 9, .reductions = 2}), 0.1 * 0.1);
}

TEST(Plateau, FollowsTheDirectionOfTheScore) {
  train::Plateau loss, accuracy;
  const FitOptions by_loss{.validation = {{.batches = data::from_examples({})}}};
  FitOptions by_accuracy = by_loss;
  by_accuracy.best_model.metric = "eval_accuracy";
  const ScheduleOptions options{.patience = 0};
  for (const double score : {0.5, 0.6}) {
    const Scores scores{{"loss", score}, {"accuracy", score}};
    train::add_to_plateau(loss, scores, false, by_loss, options);
    train::add_to_plateau(accuracy, scores, false, by_accuracy, options);
  }
  EXPECT_EQ(loss.reductions, 1);
  EXPECT_EQ(accuracy.reductions, 0);
}

TEST(Plateau, NeedsItsScoreInTheFirstEvaluation) {
  train::Plateau plateau;
  FitOptions options{.validation = {{.batches = data::from_examples({})}}};
  options.best_model.metric = "f1";
  EXPECT_THAT(message_of<UsageError>([&] {
                train::add_to_plateau(plateau, {{"loss", 1}}, true, options, {});
              }),
              HasSubstr("f1"));
  train::add_to_plateau(plateau, {{"loss", 1}}, false, options, {});
  EXPECT_EQ(plateau.without_improvement, 1);
}

TEST(Plateau, HasNoWarmUpAndNoParametersOfOthers) {
  const auto refused = [](TrainingOptions options) { return message_of<UsageError>([&] { train::check(options); }); };
  TrainingOptions options = kOptions;
  options.warmup_steps = 1;
  EXPECT_THAT(refused(options), HasSubstr("warm-up, with lr_scheduler_type reduce_lr_on_plateau"));
  options = kOptions;
  options.schedule.power = 2;
  EXPECT_THAT(refused(options), HasSubstr("lr_power"));
  EXPECT_THAT(refused({.schedule = {.patience = 2}}), HasSubstr("lr_patience"));
  options = kOptions;
  options.schedule.factor = 1;
  EXPECT_THAT(refused(options), HasSubstr("lr_factor"));
}

class Rates final : public Callback {
 public:
  void on_step(const StepResult& result, int64_t) override { rates.push_back(result.learning_rate()); }
  std::vector<double> rates;
};

data::Dataset batches_of(const TextClassification& task) {
  return task.batches(data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad")}), 1);
}

// Rates of the steps in epochs of two, each with an evaluation. A falling loss is no improvement, so the rate falls.
std::vector<double> rates_of_run(int64_t epochs, const std::filesystem::path& output,
                                 const std::filesystem::path& checkpoint = {}) {
  const TextClassification task = task_from(checkpoint.empty() ? kTinyBert : checkpoint);
  TrainingOptions options{.learning_rate = 0.01, .lr_scheduler_type = train::kReduceOnPlateau};
  options.schedule = {.factor = 0.5, .patience = 0, .cooldown = 1, .mode = "max"};
  Trainer trainer(decompositions(), task, options);
  if (!checkpoint.empty()) trainer.resume(checkpoint);
  Rates rates;
  trainer.fit(batches_of(task), {.num_train_epochs = epochs,
                                 .validation = {{batches_of(task)}},
                                 .checkpoints = {.folder = output, .strategy = SaveStrategy::kEpoch, .keep = 9},
                                 .callback = &rates});
  return rates.rates;
}

TEST(Plateau, AResumedRunHasTheRatesOfAnUnbrokenOne) {
  const TemporaryFolder folder;
  const std::vector<double> all = rates_of_run(5, folder / "whole");
  EXPECT_THAT(all, testing::ElementsAre(0.01, 0.01, 0.01, 0.01, 0.005, 0.005, 0.005, 0.005, 0.0025, 0.0025));
  for (const char* checkpoint : {"checkpoint-2", "checkpoint-4", "checkpoint-6"}) {
    const std::vector<double> rest = rates_of_run(5, folder / "rest", folder / "whole" / checkpoint);
    EXPECT_THAT(rest, testing::ElementsAreArray(all.end() - std::ssize(rest), all.end()));
  }
}

TEST(Plateau, NeedsEvaluations) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(decompositions(), task, kOptions);
  EXPECT_THAT(message_of<UsageError>([&] { trainer.fit(batches_of(task), {}); }), HasSubstr("no evaluation"));
  EXPECT_THAT(message_of<UsageError>([&] { trainer.step(*batches_of(task).iterate().next()); }),
              HasSubstr("evaluates nothing"));
}

}  // namespace
}  // namespace portatune::test
