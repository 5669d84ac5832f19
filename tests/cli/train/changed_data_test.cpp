// Files that change while a run reads them.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ChangedData : public testing::Test {
 protected:
  Words fit(const std::string& epochs, const Words& more = {}) const {
    return toy_.fit({"--epochs", epochs, "--lr-scheduler-type", "constant"}) + more;
  }
  std::string train() const { return toy_.file("train.csv"); }
  std::string weights() const { return read(toy_.output() + "/model.safetensors"); }
  // The same rows with the other labels, each at the same place of the file.
  static std::string other_rows() {
    std::string text = toy_csv(64);
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      if (text[i] == ',' && text[i + 2] == '\n') text[i + 1] = text[i + 1] == '0' ? '1' : '0';
    }
    return text;
  }
  const Toy toy_;
};

TEST_F(ChangedData, EndTheRunAtTheLastCheckpointFromWhichItGoesOnToTheSameBits) {
  const Words words = fit("60", {"--checkpoint-every", "4"});
  ASSERT_EQ(portatune(words).exit_code, 0);
  const std::string wanted = weights();
  fs::remove_all(toy_.output());
  Program run(words);
  ASSERT_TRUE(run.says("epoch 2/"));
  write(train(), other_rows());
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 65) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr(train()), HasSubstr("; saved: " + toy_.output() + "/checkpoint-"),
                               HasSubstr("--changed-data use"), Not(HasSubstr("may have used"))));
  write(train(), toy_csv(64));
  const Finished resumed = portatune(words + Words{"--resume", "--json"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(weights(), wanted);
  EXPECT_FALSE(json::parse(resumed.out).contains("deviations"));
}

TEST_F(ChangedData, WithoutACheckpointBeforeAreToldByTheOneThatIsSaved) {
  const auto resumed_after_change = [&] {
    fs::remove_all(toy_.output());
    Program run(fit("4000"));
    EXPECT_TRUE(run.says("epoch 2/"));
    write(toy_.file("new.csv"), other_rows());
    fs::rename(toy_.file("new.csv"), train());
    const Finished ended = run.wait();
    EXPECT_EQ(ended.exit_code, 65) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(train()), HasSubstr("may have used changed data")));
    const std::vector<std::string> left = names_in(toy_.output());
    const auto checkpoint = std::ranges::find_if(left, [](const auto& name) { return name.starts_with("checkpoint-"); });
    const std::string steps = checkpoint == left.end() ? "0" : checkpoint->substr(checkpoint->find('-') + 1);
    write(train(), toy_csv(64));
    return portatune(fit(std::to_string(std::stoi(steps) / 4 + 1), {"--resume", "--json"}));
  };
  // A file that changes while an epoch opens it gives a checkpoint of the changed file, which refuses the first one.
  Finished resumed = resumed_after_change();
  for (int more = 0; more < 2 && resumed.exit_code == 65; ++more) resumed = resumed_after_change();
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(json::parse(resumed.out)["deviations"].get<Words>(), Contains(HasSubstr("the data changed after step ")));
}

TEST_F(ChangedData, AreUsedIfAskedForAndTold) {
  const Words use = {"--changed-data", "use"};
  Program run(fit("4000", use));
  ASSERT_TRUE(run.says("epoch 2/"));
  write(train(), other_rows());
  ASSERT_TRUE(run.says("warning: the data changed after step "));
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  const std::string before = "stopped by SIGINT after step ";
  const size_t at = stopped.err.find(before) + before.size();
  const std::string epochs = std::to_string(std::stoi(stopped.err.substr(at)) / 4 + 1);
  const Finished refused = portatune(fit(epochs, {"--resume"}));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  const Finished resumed = portatune(fit(epochs, Words{"--resume", "--json"} + use));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(json::parse(resumed.out)["deviations"].get<Words>(),
              AllOf(Contains(HasSubstr("the data changed after step ")), Contains(HasSubstr("training_data 64 examples"))));
}

TEST_F(ChangedData, AreNoneWhereTheBytesAreTheSame) {
  Program run(fit("4000"));
  ASSERT_TRUE(run.says("epoch 2/"));
  write(toy_.file("new.csv"), toy_csv(64));
  fs::rename(toy_.file("new.csv"), train());
  EXPECT_TRUE(run.says("epoch 40/"));
}

TEST_F(ChangedData, OfAValidationEndTheRunToo) {
  Program run(fit("4000"));
  ASSERT_TRUE(run.says("epoch 2/"));
  write(toy_.file("validation.csv"), toy_csv(38));
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 65) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(toy_.file("validation.csv")));
}

}  // namespace
}  // namespace portatune::cli
