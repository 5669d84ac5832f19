// portatune fit, evaluate and predict with Whisper, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class SpeechSeq2SeqCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_audio.so")) {
      GTEST_SKIP() << "built without libsndfile and libsoxr";
    }
    fs::copy(fs::path(PORTATUNE_TEST_DATA) / "speech_seq2seq", folder_ / "model");
    write(file("rows.csv"), "audio,text\nmodel/short.wav,one\nmodel/long.wav,six\n");
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  Words fit(const Words& more) const {
    return Words{"fit",      "--task",      "speech-seq2seq", "--model", file("model"), "--train", file("rows.csv"),
                 "--output", file("tuned"), "--batch-size",   "2",       "--json"} +
           more;
  }

  TemporaryFolder folder_;
};

TEST_F(SpeechSeq2SeqCommand, LearnsMeasuresAndWritesTexts) {
  const Finished fit =
      portatune(this->fit({"--language", "English", "--validation", file("rows.csv"), "--predict-with-generate",
                           "--learning-rate", "1e-2", "--epochs", "200", "--freeze", "conv1,conv2"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json after = json::parse(fit.out)["after"];
  EXPECT_EQ(after["wer"], 0.0) << fit.out;
  EXPECT_EQ(after["cer"], 0.0);
  EXPECT_GT(json::parse(fit.out)["before"]["wer"], 0.9);

  const Finished evaluated = portatune({"evaluate", "--model", file("tuned"), "--data", file("rows.csv"), "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(json::parse(evaluated.out)["wer"], 0.0) << evaluated.out;  // with the options of the run

  const Finished predicted =
      portatune({"predict", "--model", file("tuned"), "--data", file("rows.csv"), "--output", file("texts.jsonl")});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  std::ifstream lines(file("texts.jsonl"));
  std::vector<std::string> texts;
  for (std::string line; std::getline(lines, line);) texts.push_back(json::parse(line)["text"]);
  EXPECT_THAT(texts, testing::ElementsAre("one", "six"));
}

TEST_F(SpeechSeq2SeqCommand, AsksForALanguage) {
  const Finished fit = portatune(this->fit({}));
  EXPECT_EQ(fit.exit_code, 2);
  EXPECT_THAT(fit.err, HasSubstr("--language"));
}

TEST_F(SpeechSeq2SeqCommand, PassesOverLongRecordings) {
  const Words limited = {"--language", "en", "--max-duration-seconds", "0.5", "--epochs", "1"};
  const Finished refused = portatune(fit(limited));
  EXPECT_EQ(refused.exit_code, 65) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("long.wav"));
  EXPECT_EQ(portatune(fit(limited + Words{"--bad-rows", "skip:1"})).exit_code, 0);
}

}  // namespace
}  // namespace portatune::cli
