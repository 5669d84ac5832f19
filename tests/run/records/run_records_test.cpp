// The files that run::fit() leaves beside the model.
#include "portatune/run/records/run_records.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "cli/program.h"
#include "portatune/analysis/report/evaluations.h"
#include "portatune/analysis/report/run_log.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

using cli::Toy;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Json> lines_of(const RunOptions& options) {
  return lines_until(options.output / report::kLogFile, std::numeric_limits<int64_t>::max());
}

// The lines without what differs between two runs: times, memory, and the mark of a resumption.
std::vector<Json> lasting(std::vector<Json> lines) {
  std::erase_if(lines, [](const Json& line) { return line.contains("resumed"); });
  for (Json& line : lines) {
    for (const char* name : {"seconds", "eval_seconds", "tokens_per_second", "waiting_share", "memory_bytes"}) {
      line.erase(name);
    }
  }
  return lines;
}

std::vector<int64_t> steps_of(const std::vector<Json>& lines) {
  std::vector<int64_t> steps;
  for (const Json& line : lines) steps.push_back(line["step"]);
  return steps;
}

std::vector<std::string> keys_of(const Json& line) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : line.items()) keys.push_back(name);
  return keys;
}

// Keeps the losses of all steps.
class Losses final : public Events {
 public:
  std::unique_ptr<TrainingObserver> training(const FitOptions&, RowProgress&) override {
    return std::make_unique<Observer>(losses);
  }

  std::vector<double> losses;

 private:
  class Observer final : public TrainingObserver {
   public:
    explicit Observer(std::vector<double>& losses) : losses_(losses) {}

   private:
    void on_counted_step(const StepResult& result, int64_t) override { losses_.push_back(result.loss()); }

    std::vector<double>& losses_;
  };
};

TEST(RunRecords, HaveALineForEveryFewStepsAndForEachEvaluation) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.logging_steps = 3;
  Losses seen;
  ASSERT_TRUE(fit(options, seen));
  const std::vector<Json> lines = lines_of(options);
  EXPECT_THAT(steps_of(lines), ElementsAre(0, 3, 4, 6, 8, 8)) << "of eight steps, four an epoch";
  EXPECT_THAT(keys_of(lines[1]), ElementsAre("step", "epoch", "loss", "learning_rate", "grad_norm", "tokens_per_second",
                                             "padding_share", "waiting_share", "memory_bytes", "seconds"));
  EXPECT_THAT(keys_of(lines[2]),
              testing::IsSupersetOf({"step", "epoch", "eval_loss", "eval_accuracy", "eval_seconds"}));
  EXPECT_EQ(lines[1]["epoch"], 0.75);
  EXPECT_EQ(lines[1]["loss"], number((seen.losses[0] + seen.losses[1] + seen.losses[2]) / 3));
  EXPECT_EQ(lines[4]["loss"], number((seen.losses[6] + seen.losses[7]) / 2));
  // Linear from 1e-2 to 0 over 8 steps, before step 3: transformers' get_linear_schedule_with_warmup.
  EXPECT_EQ(lines[1]["learning_rate"], 0.0075);
  EXPECT_GT(lines[1]["memory_bytes"], 10'000'000);
}

// tests/oracle/train/make_step_intervals.py. Here the last step has a line, too.
TEST(RunRecords, LogTheStepsThatTransformersLogs) {
  const Json golden = Json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/step_intervals.json"));
  for (const Json& expected : golden["logged"]) {
    SCOPED_TRACE(expected.dump());
    const Toy toy;
    RunOptions options = options_of(toy, "tuned");
    options.validation.clear();
    options.logging_steps = expected["options"]["logging_steps"].get<double>();
    options.logging_first_step = expected["options"]["logging_first_step"];
    Events unobserved;
    ASSERT_TRUE(fit(options, unobserved));
    auto steps = expected["steps"].get<std::vector<int64_t>>();
    if (steps.empty() || steps.back() != 8) steps.push_back(8);
    EXPECT_EQ(steps_of(lines_of(options)), steps);
    const Json arguments = Json::parse(cli::read(options.output / "training_args.json"))["options"];
    EXPECT_EQ(arguments["logging_steps"], options.logging_steps.of(8));
    EXPECT_EQ(arguments["logging_first_step"], options.logging_first_step);
  }
}

// The stop falls between two lines: the first one after it is the mean of steps before and after it.
TEST(RunRecords, OfAResumedRunAreThoseOfAnUnbrokenOne) {
  const Toy toy;
  RunOptions unbroken = options_of(toy, "unbroken"), broken = options_of(toy, "broken");
  unbroken.logging_steps = broken.logging_steps = 3;
  Events unobserved;
  ASSERT_TRUE(fit(unbroken, unobserved));
  StopAfter stop(4);
  ASSERT_FALSE(fit(broken, stop));
  // As of a run that was killed later.
  cli::write(broken.output / report::kLogFile,
             cli::read(broken.output / report::kLogFile) + "{\"step\":6,\"loss\":9}\n{\"st");
  cli::write(broken.output / report::kEvaluationsFile,
             cli::read(broken.output / report::kEvaluationsFile) + "{\"step\":6,\"set\":\"\"}\n{\"st");
  broken.resume = true;
  ASSERT_TRUE(fit(broken, unobserved));
  const std::vector<Json> lines = lines_of(broken);
  EXPECT_EQ(lasting(lines), lasting(lines_of(unbroken)));
  EXPECT_EQ(cli::read(broken.output / report::kEvaluationsFile), cli::read(unbroken.output / report::kEvaluationsFile));
  const auto resumed = std::ranges::find_if(lines, [](const Json& line) { return line.contains("resumed"); });
  ASSERT_NE(resumed, lines.end());
  EXPECT_THAT(keys_of(*resumed), ElementsAre("step", "resumed", "seconds"));
  EXPECT_GE((*resumed)["seconds"], std::prev(resumed)->value("seconds", 0.0));
}

TEST(RunRecords, GoOnInAnotherFolderWithThoseOfTheCheckpoint) {
  const Toy toy;
  StopAfter stop(4);
  ASSERT_FALSE(fit(options_of(toy, "first"), stop));
  RunOptions second = options_of(toy, "second");
  second.resume_from_checkpoint = stop.checkpoint;
  Events unobserved;
  ASSERT_TRUE(fit(second, unobserved));
  EXPECT_THAT(lines_of(second).front(), testing::Eq(lines_of(options_of(toy, "first")).front()));
}

TEST(RunRecords, CheckpointsHaveTheStateThatTransformersReads) {
  const Toy toy;
  StopAfter stop(5);
  ASSERT_FALSE(fit(options_of(toy, "tuned"), stop));
  const Json state = Json::parse(cli::read(stop.checkpoint / kTrainerStateFile));
  EXPECT_GE(state["global_step"], 5);
  EXPECT_THAT(cli::read(stop.checkpoint / "checkpoint_manifest.json"), HasSubstr(kTrainerStateFile));
  EXPECT_THAT(cli::names_in(toy.file("tuned")), testing::Not(Contains("README.md")));
}

// The best evaluation is that of the highest accuracy so far, the first of equal ones.
int64_t best_step_until(const std::vector<Json>& lines, int64_t step) {
  int64_t best_step = 0;
  double best = -1;
  for (const Json& line : lines) {
    if (line["step"] == 0 || line["step"] > step || !line.contains("eval_accuracy")) continue;
    if (line["eval_accuracy"] > best) best_step = line["step"];
    best = std::max(best, line["eval_accuracy"].get<double>());
  }
  return best_step;
}

TEST(RunRecords, CheckpointsNameTheBestEvaluationSoFar) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.best_model.metric = "accuracy";
  options.save_strategy = SaveStrategy::kEpoch;
  options.keep_checkpoints = 5;
  options.epochs = 3;
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  for (const int64_t step : {4, 8, 12}) {
    const fs::path folder = options.output / ("checkpoint-" + std::to_string(step));
    const Json state = Json::parse(cli::read(folder / kTrainerStateFile));
    const int64_t best = best_step_until(lines_of(options), step);
    EXPECT_EQ(state["best_global_step"], best);
    EXPECT_EQ(state["best_model_checkpoint"], (options.output / ("checkpoint-" + std::to_string(best))).string());
    EXPECT_TRUE(state["best_metric"].is_number());
  }
}

std::vector<Json> evaluations_of(const RunOptions& options) {
  return lines_until(options.output / report::kEvaluationsFile, std::numeric_limits<int64_t>::max());
}

TEST(RunRecords, HaveTheErrorsOfEachEvaluation) {
  const Toy toy;
  const RunOptions options = options_of(toy, "tuned");
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  const std::vector<Json> evaluations = evaluations_of(options);
  EXPECT_THAT(steps_of(evaluations), ElementsAre(4, 8));
  for (const Json& evaluation : evaluations) {
    int64_t rows = 0, right = 0, confused = 0;
    for (const Json& of_class : evaluation["classes"]) {
      rows += of_class["support"].get<int64_t>();
      right += of_class["right"].get<int64_t>();
    }
    for (const Json& confusion : evaluation["confusions"]) confused += confusion[2].get<int64_t>();
    EXPECT_EQ(right + confused, rows);
    const std::vector<Json> lines = lines_of(options);
    const auto scores = std::ranges::find_if(
        lines, [&](const Json& line) { return line["step"] == evaluation["step"] && line.contains("eval_accuracy"); });
    ASSERT_NE(scores, lines.end());
    EXPECT_NEAR(static_cast<double>(right) / static_cast<double>(rows), (*scores)["eval_accuracy"], 1e-6);
    EXPECT_EQ(evaluation["mistakes"].size(), std::min<int64_t>(confused, options.report_examples));
  }
}

// An untrained model makes mistakes. The report has their texts, which the records of evaluations lack.
TEST(RunRecords, HaveTheTextsOfMistakesInTheReport) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.max_steps = 1;
  options.training.learning_rate = 1e-9;
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  const Json mistakes = evaluations_of(options).back()["mistakes"];
  ASSERT_FALSE(mistakes.empty());
  const Json report = Json::parse(cli::read(options.output / report::kDetailsFile));
  ASSERT_EQ(report["texts"].size(), mistakes.size());
  std::istringstream file(cli::read(options.validation.front()));
  std::vector<std::string> lines = {""};  // lines are counted from 1
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  for (const Json& entry : report["texts"]) {
    EXPECT_EQ(entry[0], options.validation.front());
    EXPECT_THAT(lines.at(entry[1].get<size_t>()), HasSubstr(entry[2][0].get<std::string>()));
  }

  options.report_examples = 0;
  options.overwrite_output = true;
  ASSERT_TRUE(fit(options, unobserved));
  EXPECT_TRUE(evaluations_of(options).back()["mistakes"].empty());
  EXPECT_FALSE(Json::parse(cli::read(options.output / report::kDetailsFile)).contains("texts"));
}

// A file of safetensors is the size of its header in 8 bytes, the header, and the arrays.
TEST(RunRecords, HaveTheMemoryAndWorkOfAStepInTheReport) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.max_steps = 1;
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  const Json step = Json::parse(cli::read(options.output / report::kDetailsFile))["step"];
  const std::string weights = cli::read(options.output / "model.safetensors");
  uint64_t header = 0;
  std::memcpy(&header, weights.data(), sizeof(header));
  EXPECT_EQ(step["parameters"], weights.size() - sizeof(header) - header);
  EXPECT_EQ(step["optimizer"], 2 * step["parameters"].get<int64_t>()) << "the two moments of AdamW";
  EXPECT_EQ(step["shapes"], 1);
  EXPECT_GT(step["flops"], 0);
  EXPECT_FALSE(step.contains("peak")) << "of a CPU";
}

TEST(RunRecords, NameOptionsVersionsDevicesAndData) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.command = "portatune fit --train https://user:secret@host/train.csv";
  options.max_steps = 1;
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  const Json arguments = Json::parse(cli::read(options.output / "training_args.json"));
  EXPECT_EQ(arguments["command"], "portatune fit --train https://...@host/train.csv");
  EXPECT_EQ(arguments["options"]["learning_rate"], 0.01);
  EXPECT_EQ(arguments["options"]["per_device_train_batch_size"], 16);
  EXPECT_EQ(arguments["options"]["max_length"], 16);
  EXPECT_EQ(arguments["device"]["platform"], "cpu");
  EXPECT_EQ(arguments["device"]["processes"], 1);
  EXPECT_EQ(arguments["data"]["train_rows"], 64);
  EXPECT_THAT(arguments["facts"]["training_data"], StartsWith("64 examples of files with hash "));
  EXPECT_TRUE(arguments.contains("portatune_version"));
  EXPECT_TRUE(arguments["machine"].contains("plugin"));
}

TEST(RunRecords, LeaveAFileOfTheUserAlone) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.max_steps = 1;
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  cli::write(options.output / "README.md", "# Mine\n");
  cli::write(options.output / "notes.txt", "mine");
  options.overwrite_output = true;
  options.training.seed = 7;
  ASSERT_TRUE(fit(options, unobserved));
  EXPECT_EQ(cli::read(options.output / "README.md"), "# Mine\n");
  EXPECT_EQ(cli::read(options.output / "notes.txt"), "mine");
  EXPECT_EQ(steps_of(lines_of(options)), (std::vector<int64_t>{0, 1, 1})) << "of the second run alone";
  EXPECT_EQ(cli::names_in(options.output / kEventFolder).size(), 1u);
}

class Warnings final : public Events {
 public:
  void warning(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

// A file in place of the folder of events cannot be written to.
TEST(RunRecords, ThatCannotBeWrittenDoNotEndTheRun) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  fs::create_directory(options.output);
  cli::write(options.output / "training_args.json", "{}");
  cli::write(options.output / kEventFolder, "mine");
  Warnings warnings;
  ASSERT_TRUE(fit(options, warnings));
  EXPECT_THAT(warnings.texts, ElementsAre(StartsWith("the records of the run are not complete: ")));
  EXPECT_EQ(cli::read(options.output / kEventFolder), "mine");
  EXPECT_FALSE(lines_of(options).empty());
}

// A folder in place of the file cannot be replaced. The next run must find nothing that looks like a user's file.
TEST(RunRecords, AreNotWrittenWithoutTheFileThatMarksTheFolder) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  fs::create_directories(options.output / "training_args.json");
  Warnings warnings;
  ASSERT_TRUE(fit(options, warnings));
  EXPECT_THAT(warnings.texts, ElementsAre(StartsWith("the records of the run are not complete: ")));
  EXPECT_FALSE(fs::exists(options.output / kEventFolder));
  EXPECT_FALSE(fs::exists(options.output / "metrics.jsonl"));
}

// Skipped if all packages of tests/oracle/train/check_run_records.py are missing.
TEST(RunRecords, AreReadByTensorBoardAndTransformers) {
  const Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.logging_steps = 1;
  StopAfter stop(5);
  ASSERT_FALSE(fit(options, stop));
  options.resume = true;
  Events unobserved;
  ASSERT_TRUE(fit(options, unobserved));
  const std::string command =
      "python3 " PORTATUNE_TEST_ORACLE "/train/check_run_records.py '" + options.output.string() + "' >&2";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  constexpr int kIsMissing = 77;
  if (WEXITSTATUS(status) == kIsMissing) GTEST_SKIP() << "no tensorboard, transformers or huggingface_hub";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace portatune::run
