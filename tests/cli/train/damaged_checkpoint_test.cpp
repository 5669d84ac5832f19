// Runs among whose checkpoints are damaged ones.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/toy.h"
#include "train/renew_manifest.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Four steps an epoch. With a last step beyond the last checkpoint, so that the run is not finished without its model.
class DamagedCheckpoint : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(portatune(words_).exit_code, 0);
    wanted_ = weights();
    for (const std::string& name : names_in(toy_.output())) {
      if (!name.starts_with("checkpoint-")) fs::remove_all(fs::path(toy_.output()) / name);
    }
    fs::remove_all(checkpoint(16));
  }

  std::string weights() const { return read(toy_.output() + "/model.safetensors"); }
  fs::path checkpoint(int step) const { return fs::path(toy_.output()) / ("checkpoint-" + std::to_string(step)); }
  Finished resumed() const { return portatune(words_ + Words{"--resume"}); }
  Finished resumed_from(const fs::path& folder) const {
    return portatune(words_ + Words{"--resume-from-checkpoint", folder.string()});
  }

  const Toy toy_;
  const Words words_ = toy_.fit({"--epochs", "4", "--checkpoint-every", "5", "--keep-checkpoints", "4"});
  std::string wanted_;
};

TEST_F(DamagedCheckpoint, IsSkippedForTheNewestValidOne) {
  test::flip_a_bit(checkpoint(15) / "model.safetensors");
  fs::create_directory(checkpoint(25));
  write(checkpoint(25) / "training_state.json", "{");
  const Finished run = resumed();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("warning: damaged checkpoint, not used: " + checkpoint(25).string() +
                                       ": no checkpoint_manifest.json"),
                             HasSubstr("warning: damaged checkpoint, not used: " + checkpoint(15).string() +
                                       "/model.safetensors: damaged data"),
                             HasSubstr("resuming from " + checkpoint(10).string())));
  EXPECT_EQ(weights(), wanted_);
}

TEST_F(DamagedCheckpoint, ThatIsAskedForIsRefusedWithTheNewestValidOne) {
  fs::remove(checkpoint(15) / "vocab.txt");
  const Finished run = resumed_from(checkpoint(15).string() + "/");
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_THAT(unwrapped(run.err), AllOf(HasSubstr(checkpoint(15).string()), HasSubstr("vocab.txt: no such file"),
                                        HasSubstr("resume from " + checkpoint(10).string())));
  EXPECT_EQ(resumed_from(checkpoint(10)).exit_code, 0);
  EXPECT_EQ(weights(), wanted_);
}

TEST_F(DamagedCheckpoint, IsRefusedAsAModel) {
  const Words used = {"--model", checkpoint(15).string(), "--data", toy_.file("validation.csv")};
  EXPECT_EQ(portatune(Words{"evaluate"} + used).exit_code, 0);
  test::flip_a_bit(checkpoint(15) / "model.safetensors");
  for (const char* command : {"evaluate", "predict"}) {
    const Finished run = portatune(Words{command} + used);
    EXPECT_EQ(run.exit_code, 65) << run.err;
    EXPECT_THAT(unwrapped(run.err), AllOf(HasSubstr(checkpoint(15).string() + "/model.safetensors"),
                                          HasSubstr("damaged data"), HasSubstr("use another checkpoint")));
  }
}

TEST_F(DamagedCheckpoint, DoesNotLetTheRunBeginAnewWhereThereIsNoOther) {
  for (const int step : {5, 10, 15}) fs::remove(checkpoint(step) / "checkpoint_manifest.json");  // as older versions
  for (const Finished& run : {resumed(), resumed_from(checkpoint(15))}) {
    EXPECT_EQ(run.exit_code, 65) << run.err;
    EXPECT_THAT(unwrapped(run.err), AllOf(HasSubstr("no checkpoint_manifest.json"), HasSubstr("older versions"),
                                          Not(HasSubstr("measuring"))));
  }
  EXPECT_EQ(portatune(words_ + Words{"--overwrite-output"}).exit_code, 0);
  EXPECT_EQ(weights(), wanted_);
}

}  // namespace
}  // namespace portatune::cli
