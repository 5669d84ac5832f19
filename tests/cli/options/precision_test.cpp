// --dtype float16 and --on-non-finite.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Float16, LearnsWhatFloat32Learns) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--epochs", "10", "--dtype", "float16", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["after"]["accuracy"], 0.95);
  EXPECT_LT(result["skipped_steps"], 20);  // of 40

  const auto loss_in = [&](const std::string& dtype) {
    const Finished evaluation = portatune({"evaluate", "--model", toy.output(), "--data", toy.file("validation.csv"),
                                           "--max-length", "16", "--dtype", dtype, "--json"});
    EXPECT_EQ(evaluation.exit_code, 0) << evaluation.err;
    return json::parse(evaluation.out)["loss"].get<double>();
  };
  EXPECT_NEAR(loss_in("float16"), loss_in("float32"), 5e-3);
}

// A regression on 16 rows, of which line 4 has a score whose square is no number; it comes in step 2, and in steps 4
// and 5 of the next epochs.
class NonFinite : public testing::Test {
 protected:
  Finished fit(const Words& more) const {
    return portatune(with_batch_size(toy_.fit_of_an_overflow({"--json"}), "8") + more);
  }
  const Toy toy_;
};

TEST_F(NonFinite, StopsWithACheckpointThatIsResumedPastTheBatch) {
  const Finished stopped = fit({});
  EXPECT_EQ(stopped.exit_code, 76) << stopped.err;
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("step 2"), HasSubstr("scores.csv:"),
                                 HasSubstr("first non-finite value: the loss"), HasSubstr("tuned/checkpoint-1")));
  const Finished resumed = fit({"--on-non-finite", "skip", "--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(json::parse(resumed.out)["skipped_steps"], 3);
  const std::string weights = read(toy_.output() + "/model.safetensors");
  std::filesystem::remove_all(toy_.output());
  ASSERT_EQ(fit({"--on-non-finite", "skip"}).exit_code, 0);
  EXPECT_EQ(read(toy_.output() + "/model.safetensors"), weights);
}

// The first element of the tensor in the folder's model.safetensors.
void make_not_finite(const std::filesystem::path& folder, const std::string& tensor) {
  const std::string file = (folder / "model.safetensors").string();
  std::string bytes = read(file);
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  const json facts = json::parse(bytes.substr(sizeof header, header));
  const size_t begin = sizeof header + header + facts[tensor]["data_offsets"][0].get<size_t>();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + begin, &nan, sizeof nan);
  write(file, bytes);
}

TEST_F(NonFinite, AWeightOfTheModelIsNamedAndNotTheRowsBlamed) {
  const std::string model = toy_.copy_of_model().string();
  make_not_finite(model, "embeddings.LayerNorm.weight");
  const auto message = [&](Words words) {
    std::ranges::replace(words, tiny_bert(), model);
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 76) << run.err;
    return run.err;
  };
  const auto names_the_weight = AllOf(HasSubstr("embeddings.LayerNorm.weight"),
                                      HasSubstr("the model's file has this weight"), Not(HasSubstr("lower")));
  EXPECT_THAT(message(toy_.fit()), AllOf(HasSubstr("evaluation"), names_the_weight)) << "before the training";
  Words words = toy_.fit();
  const auto validation = std::ranges::find(words, "--validation");
  words.erase(validation, validation + 2);
  EXPECT_THAT(message(words), AllOf(HasSubstr("step 1"), names_the_weight));
}

TEST_F(NonFinite, SkippedStepsAreToldAndCounted) {
  const Finished run = fit({"--on-non-finite", "skip"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["steps"], 6);
  EXPECT_EQ(result["skipped_steps"], 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("is skipped: loss inf and gradient norm"), HasSubstr("scores.csv:")));
}

TEST_F(NonFinite, SkippedStepsAreToldThoughNothingElseIs) {
  const Finished run = fit({"--on-non-finite", "skip", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "portatune: 3 of 6 steps were skipped: their loss or gradient was not finite\n");
}

TEST_F(NonFinite, TooManySkippedStepsEndTheRun) {
  const Finished run = fit({"--on-non-finite", "skip", "--max-skipped-steps", "2"});
  EXPECT_EQ(run.exit_code, 76) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("3 skipped steps of "), HasSubstr("scores.csv:")));
  EXPECT_FALSE(std::filesystem::exists(toy_.output() + "/model.safetensors"));
}

TEST_F(NonFinite, NothingIsSavedWhereNearlyAllStepsAreSkipped) {
  const Finished run = portatune({"fit", "--model", tiny_bert(), "--train", toy_.file("train.csv"), "--output",
                                  toy_.output(), "--max-length", "16", "--batch-size", "16", "--epochs", "1",
                                  "--learning-rate", "1e30", "--on-non-finite", "skip"});
  EXPECT_EQ(run.exit_code, 76) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the last 3 skipped: no step after step 1 updated the weights"),
                             HasSubstr("loss nan and"), Not(HasSubstr("-nan")), HasSubstr("start a new run")));
  EXPECT_FALSE(std::filesystem::exists(toy_.output() + "/model.safetensors"));
}

TEST_F(NonFinite, GoesBackToTheLastCheckpoint) {
  const Finished run = fit({"--on-non-finite", "rewind", "--checkpoint-every", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["steps"], 6);
  EXPECT_EQ(result["rewinds"], 3);
  EXPECT_EQ(result["skipped_steps"], 3);  // each goes back to the step before
  EXPECT_THAT(run.err, AllOf(HasSubstr("step 2 rewinds to "),
                             HasSubstr("tuned/checkpoint-1 and continues with the next"), HasSubstr("scores.csv:")));
  const Finished without = fit({"--on-non-finite", "rewind"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, AllOf(HasSubstr("--on-non-finite"), HasSubstr("checkpoint_every")));
}

}  // namespace
}  // namespace portatune::cli
