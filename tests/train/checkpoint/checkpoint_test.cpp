#include "portatune/train/checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train/checkpoint/run_record.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor kM({2}, {1.0f, 2.0f}), kV({2}, {3.0f, 4.0f});
const TensorType kType{DType::kFloat32, {2}};

void write(const std::filesystem::path& folder) {
  io::write_safetensors(folder / "optimizer.safetensors",
                        std::vector<NamedTensorView>{{"m.w", kM.view()}, {"v.w", kV.view()}});
  train::write_position(folder, {.step = 17,
                                 .total_steps = 40,
                                 .in_epoch = true,
                                 .epoch_loss = {.sum = 0.1, .weight = 30},
                                 .progress = {.updates = 15, .good_steps = 4, .loss_scale = 32768},
                                 .rewinds = {.all = 7, .in_a_row = 2},
                                 .run = {{"seed", "42"}, {"text_column", "a \"text\""}},
                                 .initial_scores = {{"loss", 0.7}, {"accuracy", 0.5}, {"f1", NAN}},
                                 .data = R"({"stage": "pass"})"});
}

TEST(TrainingState, IsReadAsWritten) {
  const TemporaryFolder folder;
  write(folder.path());
  const train::Position position = train::read_position(folder.path());
  EXPECT_EQ(position.step, 17);
  EXPECT_EQ(position.total_steps, 40);
  EXPECT_TRUE(position.in_epoch);
  EXPECT_EQ(position.epoch_loss.sum, 0.1);
  EXPECT_EQ(position.epoch_loss.weight, 30);
  EXPECT_EQ(position.progress.updates, 15);
  EXPECT_EQ(position.progress.good_steps, 4);
  EXPECT_EQ(position.progress.loss_scale, 32768);
  EXPECT_EQ(position.rewinds.all, 7);
  EXPECT_EQ(position.rewinds.in_a_row, 2);
  EXPECT_EQ(position.run, (train::RunFacts{{"seed", "42"}, {"text_column", "a \"text\""}}));
  ASSERT_EQ(position.initial_scores.size(), 3u);
  EXPECT_EQ(position.initial_scores[1], (std::pair<std::string, double>("accuracy", 0.5)));
  EXPECT_TRUE(std::isnan(position.initial_scores[2].second));
  EXPECT_EQ(position.data, R"({"stage": "pass"})");
  const train::SavedArrays moments(folder.path(), train::kOptimizerStem);
  EXPECT_THAT(moments.read("m.w", kType).as<float>(), ElementsAre(1, 2));
  EXPECT_THAT(moments.read("v.w", kType).as<float>(), ElementsAre(3, 4));
}

// A deviation may name a file of any bytes. It must not prevent the checkpoint and the model of the run.
TEST(TrainingState, MayNameAFileThatIsNotUtf8) {
  const TemporaryFolder folder;
  const std::vector<std::string> deviations = {"the data changed after step 3: tr\xf6.csv, 9 bytes in place of 8"};
  train::write_position(folder.path(), {.step = 4, .deviations = deviations});
  train::write_run_record(folder.path(), {.steps = 4, .deviations = deviations});
  EXPECT_THAT(train::read_position(folder.path()).deviations, ElementsAre(HasSubstr("9 bytes in place of 8")));
  EXPECT_THAT(train::find_run_record(folder.path())->deviations, ElementsAre(HasSubstr("9 bytes in place of 8")));
}

TEST(TrainingState, IsReadUnderItsFormerName) {
  const TemporaryFolder folder;
  write(folder.path());
  std::filesystem::rename(folder / "training_state.json", folder / "trainer_state.json");
  EXPECT_EQ(train::read_position(folder.path()).step, 17);
}

TEST(TrainingState, IsNotFoundInAModelFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<NotFoundError>([&] { train::read_position(folder.path()); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("training_state.json")));
  EXPECT_THAT(message_of<NotFoundError>([&] { train::SavedArrays(folder.path(), train::kOptimizerStem); }),
              HasSubstr("no optimizer.safetensors and no optimizer.safetensors.index.json"));
}

TEST(TrainingState, RejectsATruncatedFile) {
  const TemporaryFolder folder;
  write(folder.path());
  const train::SavedArrays moments(folder.path(), train::kOptimizerStem);
  std::filesystem::resize_file(folder / "optimizer.safetensors", 0);
  EXPECT_THAT(message_of<IoError>([&] { moments.read("m.w", kType); }),
              AllOf(HasSubstr("optimizer.safetensors"), HasSubstr("0 bytes now")));
}

TEST(TrainingState, RejectsOtherParameters) {
  const TemporaryFolder folder;
  write(folder.path());
  const train::SavedArrays moments(folder.path(), train::kOptimizerStem);
  EXPECT_THAT(message_of<CheckpointError>([&] { moments.read("m.u", kType); }),
              AllOf(HasSubstr("optimizer.safetensors"), HasSubstr("m.u")));
  const TensorType other{DType::kFloat32, {3}};
  EXPECT_THAT(message_of<CheckpointError>([&] { moments.read("m.w", other); }),
              AllOf(HasSubstr("m.w"), HasSubstr("float32[2]"), HasSubstr("float32[3]")));
}

TEST(TrainingState, RejectsOtherFormatsAndInvalidFiles) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& state) {
    write_text(folder / "training_state.json", state);
    return message_of<CheckpointError>([&] { train::read_position(folder.path()); });
  };
  EXPECT_THAT(message(R"({"format": 1, "global_step": 3})"), HasSubstr("format"));
  EXPECT_THAT(message(R"({"format": 2, "global_step": -3, "total_steps": 4})"), HasSubstr("global_step"));
  EXPECT_THAT(message(R"({"format": 2, "total_steps": 4})"), HasSubstr("global_step"));
  EXPECT_THAT(message(R"({"format": 2, "global_step": 3})"), HasSubstr("total_steps"));
  EXPECT_THAT(message("{"), HasSubstr("training_state.json"));
}

}  // namespace
}  // namespace portatune::test
