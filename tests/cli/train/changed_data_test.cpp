// Files that change while a run reads them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/image_toy.h"
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
  // The step of the newest checkpoint; 0 if there is none.
  int newest_checkpoint() const {
    int newest = 0;
    for (const std::string& name : names_in(toy_.output())) {
      if (name.starts_with("checkpoint-")) newest = std::max(newest, std::stoi(name.substr(name.find('-') + 1)));
    }
    return newest;
  }
  const Toy toy_;
};

// Other validation rows could choose another step as the best one.
TEST_F(ChangedData, OfTheValidationAreRefusedByAResumeThatChoosesTheBestModel) {
  const Words words = fit("3", {"--load-best-model-at-end"});
  ASSERT_EQ(portatune(words).exit_code, 0);
  fs::remove(toy_.output() + "/training_run.json");  // as if it were interrupted before the end
  write(toy_.file("validation.csv"), other_rows());
  const Finished resumed = portatune(words + Words{"--resume"});
  EXPECT_EQ(resumed.exit_code, 2) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("validation_data files with hash "));
  EXPECT_EQ(portatune(words + Words{"--resume", "--changed-data", "use"}).exit_code, 0);
}

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
  Program run(fit("4000"));
  ASSERT_TRUE(run.says("epoch 2/"));
  write(toy_.file("new.csv"), other_rows());
  fs::rename(toy_.file("new.csv"), train());
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 65) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr(train()), HasSubstr("may have used changed data")));
  const int steps = newest_checkpoint();
  ASSERT_GT(steps, 0);
  write(train(), toy_csv(64));
  const Finished resumed = portatune(fit(std::to_string(steps / 4 + 1), {"--resume", "--json"}));
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
  EXPECT_THAT(
      json::parse(resumed.out)["deviations"].get<Words>(),
      AllOf(Contains(HasSubstr("the data changed after step ")), Contains(HasSubstr("training_data 64 examples"))));
}

TEST(ChangedImage, ThatATableNamesEndsTheRunAtACheckpoint) {
  const ImageToy toy;
  toy.add_pictures("pictures", 4);
  std::string rows = "file,label\n";
  for (const std::string name : {"blue", "green", "red"}) {
    for (int i = 0; i < 4; ++i) rows += fmt::format("pictures/{0}/{1}.png,{0}\n", name, i);
  }
  write(toy.file("train.csv"), rows);
  Program run(
      toy.fit(toy.file("train.csv"), {"--image-column", "file", "--epochs", "4000", "--checkpoint-every", "2"}));
  ASSERT_TRUE(run.says("epoch 2/"));
  image::write_png(toy.file("pictures/blue/1.png"), image::plain_picture({9, 9}, {200, 20, 20}, 1));
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 65) << ended.err;
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("pictures/blue/1.png"), HasSubstr("; saved: "), HasSubstr("--changed-data use")));
}

TEST_F(ChangedData, OfATruncatedTfrecordFileEndTheRunAtACheckpoint) {
  const std::string records = toy_.file("train.tfrecord"), index = records + ".index";
  ASSERT_EQ(portatune({"tfrecord", "write", "--input", train(), "--output", records}).exit_code, 0);
  const std::string all_records = read(records), whole_index = read(index);
  const auto words = [&](int epochs, const Words& more = {}) {
    Words all = fit(std::to_string(epochs), {"--checkpoint-every", "4"}) + more;
    std::ranges::replace(all, train(), records);
    return all;
  };
  Program run(words(4000));
  ASSERT_TRUE(run.says("epoch 2/"));
  fs::resize_file(index, 0);  // it is mapped
  fs::resize_file(records, all_records.size() / 2);
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 65) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr(records), HasSubstr(toy_.output() + "/checkpoint-")));
  write(records, all_records);
  write(index, whole_index);
  const int steps = newest_checkpoint();
  ASSERT_GT(steps, 0);
  EXPECT_EQ(portatune(words(steps / 4 + 1, {"--resume"})).exit_code, 0);
}

// A run that may go back to its first weights keeps their file mapped until the first checkpoint.
TEST_F(ChangedData, OfATruncatedModelEndARunThatGoesBackToIt) {
  const std::string scores = toy_.file("scores.csv"), model = toy_.copy_of_model();
  const auto rows = [](const std::string& score) {
    std::string text = "text,score\n";
    for (int i = 0; i < 16; ++i) text += "a good film," + score + "\n";
    return text;
  };
  write(scores, rows("0.5"));
  Words words = toy_.fit_of_an_overflow({"--on-non-finite", "rewind", "--checkpoint-every", "1000000", "--changed-data",
                                         "use", "--lr-scheduler-type", "constant"});
  std::ranges::replace(words, tiny_bert(), model);
  std::ranges::replace(words, std::string("3"), std::string("4000"));  // epochs
  Program run(words);
  ASSERT_TRUE(run.says("epoch 2/"));
  fs::resize_file(model + "/model.safetensors", fs::file_size(model + "/model.safetensors") / 2);
  write(toy_.file("new.csv"), rows("3e38"));  // steps with these scores are not finite
  fs::rename(toy_.file("new.csv"), scores);
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 74) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("rewind after step"), HasSubstr(model + "/model.safetensors")));
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
