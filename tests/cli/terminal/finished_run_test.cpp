// The files that a finished run leaves in its folder, and the commands that are possible there.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "train/renew_manifest.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> checkpoints_in(const std::string& folder) {
  std::vector<std::string> names = names_in(folder);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("checkpoint-"); });
  return names;
}

// Four steps an epoch.
Words run_of(const Toy& toy, const std::string& epochs, const Words& more = {}) {
  return toy.fit(Words{"--epochs", epochs, "--checkpoint-every", "3"} + more);
}

TEST(FinishedRun, KeepsTheNewestCheckpoints) {
  const Toy two, three, none, without;
  ASSERT_EQ(portatune(run_of(two, "4")).exit_code, 0);
  EXPECT_THAT(checkpoints_in(two.output()), ElementsAre("checkpoint-15", "checkpoint-16"));
  ASSERT_EQ(portatune(run_of(three, "4", {"--save-total-limit", "3"})).exit_code, 0);
  EXPECT_THAT(checkpoints_in(three.output()), ElementsAre("checkpoint-12", "checkpoint-15", "checkpoint-16"));
  const Finished run = portatune(run_of(none, "4", {"--keep-checkpoints", "0"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("checkpoint-15\n"), Not(HasSubstr("checkpoint-16"))));
  EXPECT_THAT(checkpoints_in(none.output()), ElementsAre());
  ASSERT_EQ(portatune(without.fit({"--epochs", "4"})).exit_code, 0);
  EXPECT_THAT(checkpoints_in(without.output()), ElementsAre());
  EXPECT_EQ(weights_in(two.output()), weights_in(without.output()));
  EXPECT_EQ(weights_in(two.output()), read(two.output() + "/checkpoint-16/model.safetensors"));
}

TEST(FinishedRun, HasNothingToDoWhenItIsResumed) {
  for (const Words& more : {Words{}, Words{"--checkpoint-every", "3"}}) {
    const Toy toy;
    const Words words = toy.fit(Words{"--epochs", "1", "--json"} + more);
    ASSERT_EQ(portatune(words).exit_code, 0);
    const std::filesystem::file_time_type written = std::filesystem::last_write_time(toy.output() + "/config.json");
    const Finished again = portatune(words + Words{"--resume"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_THAT(again.err, AllOf(HasSubstr("nothing to do: "), Not(HasSubstr("measuring")), Not(HasSubstr("epoch "))));
    EXPECT_EQ(json::parse(again.out)["steps"], 4);
    EXPECT_EQ(json::parse(again.out)["output"], toy.output());
    EXPECT_EQ(std::filesystem::last_write_time(toy.output() + "/config.json"), written);

    const Finished other = portatune(words + Words{"--resume", "--seed", "7"});
    EXPECT_EQ(other.exit_code, 2) << other.err;
    EXPECT_THAT(other.err, AllOf(HasSubstr("given     seed 7\n"), HasSubstr("seed 42, as in the run")));
  }
}

TEST(FinishedRun, IsNotResumedWithAnotherModel) {
  const Toy toy;
  const Words words = run_of(toy, "1");
  ASSERT_EQ(portatune(words).exit_code, 0);
  const auto resumed = [&](const std::string& model, const std::string& epochs) {
    Words other = run_of(toy, epochs, {"--resume"});
    std::ranges::replace(other, tiny_bert(), model);
    return portatune(other);
  };
  for (const char* epochs : {"1", "2"}) {
    const Finished run = resumed(toy.copy_of_model().string(), epochs);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("given     model model\n"), HasSubstr("model tiny_bert, as in the run")));
    std::filesystem::remove_all(toy.file("model"));
  }
  EXPECT_EQ(resumed("/elsewhere/tiny_bert/", "2").exit_code, 0);
}

TEST(FinishedRun, IsTrainedFurtherToTheBitsOfALongerRunWhereTheRateIsConstant) {
  const Words constant = {"--lr-scheduler-type", "constant"};
  const Toy longer, further;
  ASSERT_EQ(portatune(run_of(longer, "3", constant)).exit_code, 0);
  ASSERT_EQ(portatune(run_of(further, "1", constant)).exit_code, 0);
  const Finished run = portatune(run_of(further, "3", constant + Words{"--resume", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("training a finished run further: 4 steps are made, 12 in all"));
  EXPECT_EQ(json::parse(run.out)["steps"], 12);
  EXPECT_EQ(weights_in(further.output()), weights_in(longer.output()));
  EXPECT_THAT(checkpoints_in(further.output()), ElementsAre("checkpoint-12", "checkpoint-9"));
}

TEST(FinishedRun, IsTrainedFurtherByTheScheduleOfAllSteps) {
  const Toy toy;
  ASSERT_EQ(portatune(run_of(toy, "1")).exit_code, 0);
  const Finished run = portatune(run_of(toy, "2", {"--resume"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // Half of 1e-2, as four of eight steps are made.
  EXPECT_THAT(run.err, HasSubstr("the learning rate continues at 0.005, by the schedule of 8 steps"));
  // The run is extended once more, by steps.
  const Finished steps = portatune(run_of(toy, "2", {"--resume", "--max-steps", "11"}));
  EXPECT_EQ(steps.exit_code, 0) << steps.err;
  EXPECT_THAT(checkpoints_in(toy.output()), ElementsAre("checkpoint-11", "checkpoint-9"));
}

TEST(FinishedRun, TrainedFurtherAndKilledItGoesOn) {
  const Toy toy, whole;
  for (const Toy* one : {&toy, &whole}) ASSERT_EQ(portatune(run_of(*one, "1")).exit_code, 0);
  ASSERT_EQ(portatune(run_of(whole, "60", {"--resume"})).exit_code, 0);
  Program run(run_of(toy, "60", {"--resume"}));
  ASSERT_TRUE(run.says("epoch 5/"));
  run.signal(SIGKILL);
  run.wait();
  const Finished rest = portatune(run_of(toy, "60", {"--resume"}));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(weights_in(toy.output()), weights_in(whole.output()));
}

TEST(FinishedRun, SaysWhyItCannotBeTrainedFurther) {
  const Toy without, with;
  ASSERT_EQ(portatune(without.fit({"--epochs", "1"})).exit_code, 0);
  const Finished no_checkpoint = portatune(without.fit({"--epochs", "2", "--resume"}));
  EXPECT_EQ(no_checkpoint.exit_code, 73) << no_checkpoint.err;
  EXPECT_THAT(no_checkpoint.err, AllOf(HasSubstr("trained for 4 steps, and no checkpoint of the last one"),
                                       HasSubstr("--checkpoint-every"),
                                       HasSubstr("--model " + without.output() + " and another --output")));
  for (const char* schedule : {"linear", "constant"}) {
    const Toy toy;
    ASSERT_EQ(portatune(run_of(toy, "2", {"--lr-scheduler-type", schedule})).exit_code, 0);
    const Finished fewer = portatune(run_of(toy, "1", {"--lr-scheduler-type", schedule, "--resume"}));
    EXPECT_EQ(fewer.exit_code, 2) << fewer.err;
    EXPECT_THAT(fewer.err, AllOf(HasSubstr("more epochs or steps"), Not(HasSubstr("measuring"))));
  }
}

// Four steps an epoch, and early stopping with a threshold that no score reaches.
Words stopped_run_of(const Toy& toy, const std::string& epochs, const Words& more = {}) {
  return toy.fit(Words{"--epochs", epochs, "--eval-steps", "2", "--checkpoint-every", "2", "--early-stopping-patience",
                       "2", "--early-stopping-threshold", "1000", "--json"} +
                 more);
}

TEST(FinishedRun, ThatStoppedEarlyIsTrainedFurtherByMoreSteps) {
  for (const char* schedule : {"constant", "linear"}) {
    const Words with_schedule = {"--lr-scheduler-type", schedule};
    const Toy toy;
    const Finished stopped = portatune(stopped_run_of(toy, "10", with_schedule));
    ASSERT_EQ(stopped.exit_code, 0) << stopped.err;
    EXPECT_EQ(json::parse(stopped.out)["steps"], 6);  // the first evaluation is the best, and two follow
    EXPECT_THAT(portatune(stopped_run_of(toy, "10", with_schedule + Words{"--resume"})).err,
                HasSubstr("nothing to do: "));
    const Finished more = portatune(stopped_run_of(toy, "11", with_schedule + Words{"--resume"}));
    ASSERT_EQ(more.exit_code, 0) << more.err;
    EXPECT_THAT(more.err, HasSubstr("training a finished run further: 6 steps are made, 44 in all"));
    EXPECT_EQ(json::parse(more.out)["steps"], 10);  // two further evaluations without improvement
    if (std::string(schedule) != "constant") continue;
    const Toy other;
    ASSERT_EQ(portatune(other.fit(with_schedule + Words{"--max-steps", "10"})).exit_code, 0);
    EXPECT_EQ(weights_in(toy.output()), weights_in(other.output()));
  }
}

TEST(FinishedRun, ThatStoppedEarlyIsTrainedFurtherFromItsLastStepAlone) {
  const Toy toy;
  ASSERT_EQ(portatune(stopped_run_of(toy, "10", {"--lr-scheduler-type", "constant"})).exit_code, 0);
  std::filesystem::remove_all(toy.output() + "/checkpoint-6");
  const Finished run = portatune(stopped_run_of(toy, "11", {"--lr-scheduler-type", "constant", "--resume"}));
  EXPECT_EQ(run.exit_code, 73) << run.err;
  EXPECT_THAT(run.err, HasSubstr("trained for 6 steps, and no checkpoint of the last one"));
}

// A model that is not of a run of ours.
TEST(FinishedRun, ResumeRefusesAFolderWithoutARecordOfItsRun) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--epochs", "1"})).exit_code, 0);
  std::filesystem::remove(toy.output() + "/training_run.json");
  const Finished run = portatune(toy.fit({"--epochs", "1", "--resume"}));
  EXPECT_EQ(run.exit_code, 73) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("without a checkpoint or a record"), HasSubstr("--overwrite-output")));
}

TEST(ResumedRun, ReportsTheScoresOfTheOriginalStart) {
  const Toy toy;
  const Words words = toy.fit({"--epochs", "100", "--json"});
  Program run(words);
  ASSERT_TRUE(run.says("epoch 5/"));
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  const Finished resumed = portatune(words + Words{"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, Not(HasSubstr("measuring the validation rows before")));
  const double before = json::parse(resumed.out)["before"]["loss"];
  EXPECT_NEAR(before, 0.69, 0.05);  // ln 2: of two classes, with a new head
  char text[32];
  std::snprintf(text, sizeof text, "before: loss %.4f", before);
  EXPECT_THAT(stopped.err, HasSubstr(text));
}

TEST(ResumedRun, WithoutScoresOfTheStartSaysSo) {
  const Toy toy;
  ASSERT_EQ(portatune(run_of(toy, "1")).exit_code, 0);
  const std::string file = toy.output() + "/checkpoint-4/training_state.json";
  json state = json::parse(read(file));
  state.erase("initial_scores");  // as of an older version
  write(file, state.dump());
  test::renew_manifest(toy.output() + "/checkpoint-4");
  const Finished run = portatune(run_of(toy, "2", {"--resume", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no scores from before training"));
  EXPECT_FALSE(json::parse(run.out).contains("before"));
}

TEST(ResumeFromCheckpoint, NamesTheCheckpointsThatThereAre) {
  const Toy toy;
  ASSERT_EQ(portatune(run_of(toy, "1")).exit_code, 0);
  const auto error_of = [&](const std::string& checkpoint) {
    const Finished run = portatune(run_of(toy, "1", {"--resume-from-checkpoint", checkpoint}));
    EXPECT_EQ(run.exit_code, 66) << run.err;
    return run.err;
  };
  EXPECT_THAT(error_of(toy.output() + "/checkpoint-99"),
              AllOf(HasSubstr("no such checkpoint folder"), HasSubstr("checkpoint-3, checkpoint-4")));
  EXPECT_THAT(error_of("checkpoint-4"), HasSubstr("checkpoint-3, checkpoint-4"));
  EXPECT_THAT(error_of(toy.output()),
              AllOf(HasSubstr("without the training state"), HasSubstr("checkpoint-3, checkpoint-4")));
}

}  // namespace
}  // namespace portatune::cli
