// run::sweep() trains what run::fit() trains for each trial, also after interruptions.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/base/threads/cores.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

using cli::Toy;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

// Learning rates and seeds of one epoch of four steps, one after the other.
SweepOptions sweep_of(const Toy& toy, const std::string& output, const std::vector<std::string>& rates,
                      const std::vector<uint64_t>& seeds) {
  SweepOptions sweep{.trials = {}, .output = toy.file(output), .keep_models = true};
  for (const std::string& rate : rates) {
    for (const uint64_t seed : seeds) {
      Trial trial{.settings = {{"learning-rate", rate}}, .options = options_of(toy, "unused")};
      trial.options.epochs = 1;
      trial.options.eval_on_start = false;
      trial.options.max_concurrent_runs = 1;
      trial.options.training.learning_rate = std::stod(rate);
      trial.options.training.seed = seed;
      sweep.trials.push_back(std::move(trial));
    }
  }
  return sweep;
}

std::string weights_in(const fs::path& folder) { return cli::read(folder / "model.safetensors"); }

// The weights that fit() trains with the options of a trial.
std::string weights_of_fit(const Toy& toy, RunOptions options) {
  options.output = toy.file("single");
  options.overwrite_output = true;
  Events unobserved;
  EXPECT_TRUE(fit(options, unobserved));
  return weights_in(options.output);
}

// Counts steps and compilations of all trials, keeps warnings, and stops the sweep after a number of steps.
class Watch final : public Events {
 public:
  explicit Watch(int64_t steps = std::numeric_limits<int64_t>::max()) : most_(steps) {}

  void warning(const std::string& text) override { warnings.push_back(text); }
  void opening(const Opening&) override { ++openings; }
  std::unique_ptr<TrainingObserver> training(const FitOptions&, RowProgress&) override {
    return std::make_unique<Observer>(*this);
  }

  std::vector<std::string> warnings;
  int64_t steps = 0, compilations = 0, openings = 0;

 private:
  class Observer final : public TrainingObserver {
   public:
    explicit Observer(Watch& watch) : watch_(watch) {}
    void on_compile(const std::string&, double, bool from_cache) override { watch_.compilations += !from_cache; }
    bool should_stop() override { return watch_.steps >= watch_.most_; }

   private:
    void on_counted_step(const StepResult&, int64_t) override { ++watch_.steps; }
    Watch& watch_;
  };

  const int64_t most_;
};

TEST(Sweep, TrialsEqualSingleRunsToTheBit) {
  const Toy toy;
  const SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1, 2});
  Watch watch;
  const std::optional<SweepOutcome> outcome = sweep(options, watch);
  ASSERT_TRUE(outcome);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(weights_in(options.output / trial_name(i)), weights_of_fit(toy, options.trials[i].options)) << i;
  }
  EXPECT_EQ(watch.openings, 1);
  EXPECT_EQ(outcome->metric, "loss");
  EXPECT_FALSE(outcome->greater_is_better);
  ASSERT_EQ(outcome->rows.size(), 2u);
  EXPECT_LE(outcome->rows[0].mean, outcome->rows[1].mean);
  EXPECT_THAT(outcome->rows[0].seeds, ElementsAre(1, 2));
  EXPECT_EQ(weights_in(options.output / "best"), weights_in(options.output / outcome->best));
}

// Notes the notices and the stops, and requests a stop when a trial has been trained.
class Notes final : public Events {
 public:
  explicit Notes(StopSource* stop = nullptr) : stop_(stop) {}

  void notice(const std::string& text) override {
    text_ += text + "\n";
    if (stop_ != nullptr && text.find("after step") != std::string::npos) stop_->request_stop();
  }
  void stopped(int64_t, const std::filesystem::path&) override { ++stops; }
  void resumable(const std::filesystem::path&, const std::string&) override { ++stops; }

  const std::string& text() const { return text_; }
  int64_t stops = 0;

 private:
  StopSource* const stop_;
  std::string text_;
};

TEST(Sweep, TrialsAtTheSameTimeEqualThoseOneAfterTheOther) {
  const Toy toy;
  const std::vector<std::string> rates = {"1e-2", "1e-9", "1e38"};  // the last one fails
  const auto sweep_at_once = [&](const std::string& output, int64_t most, Events& events) {
    SweepOptions options = sweep_of(toy, output, rates, {1, 2, 3});
    options.halving_factor = 2;
    for (Trial& trial : options.trials) {
      trial.options.max_concurrent_runs = most;
      trial.options.epochs = 2;
    }
    return sweep(options, events);
  };
  Events unobserved;
  Notes notes;
  const std::optional<SweepOutcome> alone = sweep_at_once("alone", 1, unobserved);
  const std::optional<SweepOutcome> together = sweep_at_once("together", 0, notes);
  ASSERT_TRUE(alone && together);
  EXPECT_EQ(cli::read(together->output / "sweep.json"), cli::read(alone->output / "sweep.json"));
  EXPECT_EQ(together->best, alone->best);
  EXPECT_EQ(together->failed.size(), alone->failed.size());
  EXPECT_FALSE(alone->failed.empty());
  for (size_t i = 0; i < 6; ++i) {
    if (!fs::exists(alone->output / trial_name(i) / "model.safetensors")) continue;
    EXPECT_EQ(weights_in(together->output / trial_name(i)), weights_in(alone->output / trial_name(i))) << i;
  }
  if (usable_cores() > 1) {
    EXPECT_THAT(notes.text(), HasSubstr(" runs at the same time, on "));
  }
}

// Reports a shortage of memory at the first start of the first trial.
class ShortMemory final : public Events {
 public:
  void run_begins(const OneOfRuns& run) override {
    if (run.number == 1 && starts++ == 0) throw std::bad_alloc();
  }

  int64_t starts = 0;
};

TEST(Sweep, ATrialWithoutMemoryBesideOthersTrainsAgainAlone) {
  const Toy toy;
  for (const int64_t most : {0, 1}) {
    SweepOptions options = sweep_of(toy, "sweep" + std::to_string(most), {"1e-2", "1e-3"}, {1});
    for (Trial& trial : options.trials) trial.options.max_concurrent_runs = most;
    ShortMemory events;
    const std::optional<SweepOutcome> outcome = sweep(options, events);
    ASSERT_TRUE(outcome);
    const bool has_others = most == 0 && usable_cores() > 1;
    EXPECT_EQ(events.starts, has_others ? 2 : 1);
    EXPECT_EQ(outcome->failed.size(), has_others ? 0u : 1u);
  }
}

// Reports a shortage of memory once, at an evaluation of the second trial, which trains beside the first one.
class ShortMemoryOfStep final : public Events {
 public:
  void scores_beside_others(const std::string& name, int64_t, const Scores&) override {
    if (name == "trial 2" && !std::exchange(is_met, true)) throw std::bad_alloc();
  }

  bool is_met = false;
};

TEST(Sweep, ATrialThatRunsOutOfMemoryBesideOthersEqualsASingleRun) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1, 2});
  for (Trial& trial : options.trials) {
    trial.options.max_concurrent_runs = 0;
    trial.options.epochs = 2;
  }
  ShortMemoryOfStep events;
  const std::optional<SweepOutcome> outcome = sweep(options, events);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(events.is_met);
  EXPECT_TRUE(outcome->failed.empty());
  for (size_t i = 0; i < options.trials.size(); ++i) {
    EXPECT_EQ(weights_in(options.output / trial_name(i)), weights_of_fit(toy, options.trials[i].options)) << i;
  }
}

TEST(Sweep, StoppedWhileTrialsTrainAtTheSameTimeItResumes) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1, 2});
  StopSource stop;
  for (Trial& trial : options.trials) {
    trial.options.max_concurrent_runs = 0;
    trial.options.stop = stop.token();
  }
  Notes notes(&stop);
  EXPECT_FALSE(sweep(options, notes));
  EXPECT_EQ(notes.stops, 1);
  options.resume = true;
  for (Trial& trial : options.trials) trial.options.stop = {};
  Events unobserved;
  ASSERT_TRUE(sweep(options, unobserved));
  for (size_t i = 0; i < options.trials.size(); ++i) {
    EXPECT_EQ(weights_in(options.output / trial_name(i)), weights_of_fit(toy, options.trials[i].options)) << i;
  }
}

TEST(Sweep, TrialsOfOtherOptionsOfTrainingEqualSingleRunsToTheBit) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-2", "1e-2"}, {1});
  options.trials[0].settings = {{"layer-decay", "0.5"}};
  options.trials[0].options.training.layer_decay = 0.5;
  options.trials[1].settings = {{"dtype", "bfloat16"}};
  options.trials[1].options.training.dtype = DType::kBFloat16;
  options.trials[2].settings = {{"gradient-accumulation-steps", "2"}};
  options.trials[2].options.training.gradient_accumulation_steps = 2;
  Events unobserved;
  ASSERT_TRUE(sweep(options, unobserved));
  for (size_t i = 0; i < options.trials.size(); ++i) {
    EXPECT_EQ(weights_in(options.output / trial_name(i)), weights_of_fit(toy, options.trials[i].options)) << i;
  }
}

TEST(Sweep, CompilesTheProgramsOfOneRun) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "3e-3", "1e-3", "3e-4"}, {1, 2});
  for (Trial& trial : options.trials) trial.options.device.use_cache = false;
  RunOptions single = options.trials.front().options;
  single.output = toy.file("single");
  Watch one, all;
  ASSERT_TRUE(fit(single, one));
  ASSERT_TRUE(sweep(options, all));
  EXPECT_GT(one.compilations, 0);
  EXPECT_EQ(all.compilations, one.compilations);
  EXPECT_EQ(all.steps, 8 * one.steps);
}

// Weight decays above 0 are an input of the step, as learning rates are; that of 0 has a program of its own.
TEST(Sweep, CompilesOneProgramForAllWeightDecays) {
  const Toy toy;
  const auto compilations_of = [&](const std::string& output, const std::vector<double>& decays) {
    SweepOptions options = sweep_of(toy, output, std::vector<std::string>(decays.size(), "1e-2"), {1});
    for (size_t i = 0; i < decays.size(); ++i) {
      options.trials[i].settings = {{"weight-decay", std::to_string(decays[i])}};
      options.trials[i].options.training.weight_decay = decays[i];
      options.trials[i].options.device.use_cache = false;
    }
    Watch watch;
    EXPECT_TRUE(sweep(options, watch));
    EXPECT_NE(weights_in(options.output / trial_name(0)), weights_in(options.output / trial_name(decays.size() - 1)));
    return watch.compilations;
  };
  const int64_t of_one = compilations_of("two", {0.01, 0.5});
  EXPECT_GT(of_one, 0);
  EXPECT_EQ(compilations_of("three", {0.01, 0.1, 0.3}), of_one);
  EXPECT_GT(compilations_of("zero", {0, 0.1}), of_one);
}

// Dropout rates above 0 are inputs, too.
TEST(Sweep, CompilesTheStepOfOneRunForAllDropoutRates) {
  const Toy toy;
  const auto compilations_of = [&](const std::string& output, const std::vector<std::string>& rates) {
    SweepOptions options = sweep_of(toy, output, std::vector<std::string>(rates.size(), "1e-2"), {1});
    for (size_t i = 0; i < rates.size(); ++i) {
      options.trials[i].settings = {{"config-overrides", "hidden_dropout_prob=" + rates[i]}};
      options.trials[i].options.model.config_overrides = {"hidden_dropout_prob=" + rates[i]};
      options.trials[i].options.device.use_cache = false;
    }
    Watch watch;
    EXPECT_TRUE(sweep(options, watch));
    for (size_t i = 0; i < rates.size(); ++i) {
      EXPECT_EQ(weights_in(options.output / trial_name(i)), weights_of_fit(toy, options.trials[i].options)) << rates[i];
    }
    EXPECT_NE(weights_in(options.output / trial_name(0)), weights_in(options.output / trial_name(rates.size() - 1)));
    return watch.compilations;
  };
  const int64_t of_one = compilations_of("two", {"0.1", "0.3"});
  EXPECT_GT(of_one, 0);
  EXPECT_EQ(compilations_of("three", {"0.05", "0.1", "0.5"}), of_one);
  EXPECT_GT(compilations_of("zero", {"0", "0.1"}), of_one);
}

TEST(Sweep, KeepsTheBestModelAndTheRecordsOfAllTrials) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1});
  options.keep_models = false;
  Events unobserved;
  const std::optional<SweepOutcome> outcome = sweep(options, unobserved);
  ASSERT_TRUE(outcome);
  EXPECT_THAT(cli::names_in(options.output),
              ElementsAre("best", "report.html", "sweep.csv", "sweep.json", "trial-001", "trial-002"));
  for (const char* name : {"trial-001", "trial-002"}) {
    EXPECT_EQ(fs::exists(options.output / name / "model.safetensors"), name == outcome->best);
    EXPECT_TRUE(fs::exists(options.output / name / "metrics.jsonl"));
  }
  EXPECT_THAT(cli::read(options.output / "sweep.csv"), HasSubstr("trial,learning-rate,seed,steps,accuracy,f1,loss,"));
}

// Counts the models on the disk whenever a trial begins.
class CountModels final : public Events {
 public:
  explicit CountModels(fs::path output) : output_(std::move(output)) {}

  void opening(const Opening&) override { count(); }
  void notice(const std::string& text) override {
    if (text.starts_with("trial ")) count();
  }

  int64_t most = 0;

 private:
  void count() {
    int64_t models = 0;
    for (const auto& entry : fs::recursive_directory_iterator(output_)) {
      models += entry.path().filename() == "model.safetensors";
    }
    most = std::max(most, models);
  }

  const fs::path output_;
};

// The best model so far, and those of the configuration whose seeds are training.
TEST(Sweep, KeepsFewModelsWhileItTrains) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-9", "1e-3", "1e-4"}, {1, 2});
  options.keep_models = false;
  for (Trial& trial : options.trials) trial.options.training.ema = 0.9;
  CountModels events(options.output);
  const std::optional<SweepOutcome> outcome = sweep(options, events);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(events.most, 2 * 3);  // models, each with its average
  EXPECT_EQ(weights_in(options.output / "best"), weights_in(options.output / outcome->best));
  for (size_t i = 0; i < options.trials.size(); ++i) {
    const fs::path trial = options.output / trial_name(i);
    EXPECT_EQ(fs::exists(trial / "ema"), fs::exists(trial / "model.safetensors")) << trial;
  }
}

TEST(Sweep, RemovesTheCheckpointsOfConfigurationsThatHalvingEnds) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-9", "1e-8", "1e-7", "1e-2"}, {1});
  options.keep_models = false;
  options.halving_factor = 4;
  for (Trial& trial : options.trials) trial.options.epochs = 4;
  Watch watch(4 * 4 + 2);  // two steps of the survivor
  EXPECT_FALSE(sweep(options, watch));
  int64_t with_checkpoints = 0;
  for (size_t i = 0; i < options.trials.size(); ++i) {
    const fs::path folder = options.output / trial_name(i);
    with_checkpoints += std::ranges::any_of(cli::names_in(folder),
                                            [](const std::string& name) { return name.starts_with("checkpoint-"); });
  }
  EXPECT_EQ(with_checkpoints, 1);
}

// One in three configurations continues after the first of three epochs.
TEST(Sweep, SurvivorOfHalvingEqualsASingleRunToTheBit) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-9", "1e-2", "1e-8"}, {1, 2});
  options.halving_factor = 3;
  for (Trial& trial : options.trials) trial.options.epochs = 3;
  Watch watch;
  const std::optional<SweepOutcome> outcome = sweep(options, watch);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(watch.steps, 3 * 4 + 8 + 12);  // the second seed of the survivor alone
  EXPECT_EQ(outcome->rows[0].steps, 12);
  EXPECT_THAT(outcome->rows[0].seeds, ElementsAre(1, 2));
  EXPECT_EQ(outcome->rows[1].steps, 4);
  EXPECT_THAT(outcome->rows[1].seeds, ElementsAre(1));
  for (size_t i = 0; i < options.trials.size(); ++i) {
    if (options.trials[i].settings != outcome->rows[0].settings) continue;
    EXPECT_EQ(weights_in(options.output / trial_name(i)), weights_of_fit(toy, options.trials[i].options)) << i;
  }
}

// The rates are too small to change a prediction.
TEST(Sweep, HalvingComparesEqualScoresByTheLoss) {
  const Toy toy;
  std::vector<std::vector<TrialSetting>> best;
  for (const std::vector<std::string>& rates : {{"1e-9", "1e-5"}, std::vector<std::string>{"1e-5", "1e-9"}}) {
    SweepOptions options = sweep_of(toy, "from-" + rates.front(), rates, {1});
    options.halving_factor = 2;
    for (Trial& trial : options.trials) {
      trial.options.epochs = 2;
      trial.options.best_model.metric = "accuracy";
    }
    Watch watch;
    const std::optional<SweepOutcome> outcome = sweep(options, watch);
    ASSERT_TRUE(outcome);
    EXPECT_THAT(watch.warnings, Contains(HasSubstr("the same accuracy")));
    best.push_back(outcome->rows.front().settings);
  }
  EXPECT_EQ(best[0], best[1]);
}

TEST(Sweep, ResumedAtAnyStepEqualsAnUninterruptedOne) {
  const Toy toy;
  const auto with_halving = [&](const std::string& output) {
    SweepOptions options = sweep_of(toy, output, {"1e-9", "1e-2"}, {1, 2});
    options.halving_factor = 2;
    for (Trial& trial : options.trials) trial.options.epochs = 2;
    return options;
  };
  Events unobserved;
  const SweepOptions whole = with_halving("whole");
  ASSERT_TRUE(sweep(whole, unobserved));
  for (const int64_t steps : {1, 4, 5, 8, 9, 11, 12, 13, 19}) {
    SweepOptions options = with_halving("resumed");
    options.overwrite_output = fs::exists(options.output);
    Watch stop(steps);
    EXPECT_FALSE(sweep(options, stop)) << steps;
    options.overwrite_output = false;
    options.resume = true;
    ASSERT_TRUE(sweep(options, unobserved));
    EXPECT_EQ(cli::read(options.output / "sweep.json"), cli::read(whole.output / "sweep.json")) << steps;
    EXPECT_EQ(weights_in(options.output / "best"), weights_in(whole.output / "best")) << steps;
  }
}

// The first comparison was made without the results of later rungs, so a resumed sweep repeats it without them.
TEST(Sweep, ResumedHalvingHasTheSameSurvivor) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-9", "1e-2"}, {1, 2});
  options.halving_factor = 2;
  for (Trial& trial : options.trials) trial.options.epochs = 2;
  Events unobserved;
  ASSERT_TRUE(sweep(options, unobserved));
  // As if the survivor became worse at last, and the sweep was stopped before its second seed.
  const fs::path file = options.output / "sweep.json";
  auto state = nlohmann::ordered_json::parse(cli::read(file));
  const size_t survivor = state["trials"][0]["rungs"].size() == 2 ? 0 : 2, other = 2 - survivor;
  ASSERT_EQ(state["trials"][survivor]["rungs"].size(), 2u);
  for (auto& score : state["trials"][survivor]["rungs"][1]["scores"]) score["value"] = 1000;
  state["trials"][survivor + 1]["rungs"] = nlohmann::ordered_json::array();
  state.erase("best");
  cli::write(file, state.dump());
  options.resume = true;
  ASSERT_TRUE(sweep(options, unobserved));
  state = nlohmann::ordered_json::parse(cli::read(file));
  EXPECT_EQ(state["trials"][other]["rungs"].size(), 1u);
  EXPECT_EQ(state["trials"][survivor + 1]["rungs"].size(), 1u);
}

// As a kill leaves it between two renames, on a file system that cannot exchange names.
TEST(Sweep, RestoresAFolderOfATrialThatWasSetAside) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1});
  Watch stop(2), rest;
  EXPECT_FALSE(sweep(options, stop));
  const fs::path folder = options.output / trial_name(0);
  fs::rename(folder, options.output / ("old." + trial_name(0) + ".0123456789abcdef"));
  options.resume = true;
  ASSERT_TRUE(sweep(options, rest));
  EXPECT_EQ(stop.steps + rest.steps, 8);
  EXPECT_EQ(weights_in(folder), weights_of_fit(toy, options.trials[0].options));
}

TEST(Sweep, ResumedAfterItsEndTrainsNothing) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1});
  options.keep_models = false;
  Watch first, again;
  const std::optional<SweepOutcome> outcome = sweep(options, first);
  EXPECT_THROW(sweep(options, again), Error);  // the folder is not empty
  options.resume = true;
  const std::optional<SweepOutcome> resumed = sweep(options, again);
  ASSERT_TRUE(outcome && resumed);
  EXPECT_EQ(again.steps, 0);
  EXPECT_EQ(resumed->best, outcome->best);
  options.trials.pop_back();
  EXPECT_THROW(sweep(options, again), UsageError);  // another sweep
}

TEST(Sweep, ResumesAfterTheModelHasMoved) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1});
  Watch stop(5), rest;
  EXPECT_FALSE(sweep(options, stop));
  const fs::path elsewhere = toy.path() / "elsewhere" / options.trials[0].options.model.folder.filename();
  fs::create_directory(elsewhere.parent_path());
  fs::copy(options.trials[0].options.model.folder, elsewhere);
  options.resume = true;
  for (Trial& trial : options.trials) trial.options.model.folder = elsewhere;
  ASSERT_TRUE(sweep(options, rest));
  EXPECT_EQ(stop.steps + rest.steps, 8);
}

TEST(Sweep, OverwritesNoModelThatItStartsFrom) {
  const Toy toy;
  SweepOptions options = sweep_of(toy, "sweep", {"1e-2"}, {1});
  Watch watch;
  ASSERT_TRUE(sweep(options, watch));
  options.overwrite_output = true;
  options.trials[0].options.model.folder = options.output / "best";
  EXPECT_THROW(sweep(options, watch), UsageError);
  EXPECT_TRUE(fs::exists(options.output / "best" / "config.json"));
}

TEST(Sweep, RecordsATrialThatFailsAndContinues) {
  const Toy toy;
  const SweepOptions options = sweep_of(toy, "sweep", {"1e38", "1e-2"}, {1});
  Watch watch;
  const std::optional<SweepOutcome> outcome = sweep(options, watch);
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->failed.size(), 1u);
  EXPECT_EQ(outcome->failed[0].name, "trial-001");
  EXPECT_THAT(watch.warnings, testing::Contains(HasSubstr("trial 1 of 2 failed: ")));
  EXPECT_EQ(outcome->best, "trial-002");
  EXPECT_THAT(cli::read(options.output / "sweep.json"), HasSubstr("\"error\""));
}

TEST(Sweep, RejectsWrongOptionsBeforeTraining) {
  const Toy toy;
  const auto is_refused = [&](const std::function<void(SweepOptions&)>& change) {
    SweepOptions options = sweep_of(toy, "sweep", {"1e-2", "1e-3"}, {1});
    change(options);
    Watch watch;
    EXPECT_THROW(sweep(options, watch), UsageError);
    EXPECT_FALSE(fs::exists(options.output));
  };
  is_refused([](SweepOptions& o) { o.trials.clear(); });
  is_refused([](SweepOptions& o) { o.trials[1].options.validation.clear(); });
  is_refused([](SweepOptions& o) { o.trials[1].options.eval_strategy = EvalStrategy::kNo; });
  is_refused([](SweepOptions& o) { o.trials[1].options.training.learning_rate = -1; });
  is_refused([](SweepOptions& o) { o.trials[1].options.folds = 2; });
  is_refused([](SweepOptions& o) { o.halving_factor = 2; });  // one epoch, measured at its end
  is_refused([](SweepOptions& o) { o.halving_factor = 1; });  // all would continue, without end
}

}  // namespace
}  // namespace portatune::run
