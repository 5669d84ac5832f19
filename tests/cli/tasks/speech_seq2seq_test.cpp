// portatune fit, evaluate and predict with Whisper, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "tasks/joined_wav_files.h"

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

  void allow_times() const {
    json settings = json::parse(read(file("model/generation_config.json")));
    settings["suppress_tokens"] = json::parse(read(file("model/golden.json")))["timed"]["suppress_tokens"];
    write(file("model/generation_config.json"), settings.dump());
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

TEST_F(SpeechSeq2SeqCommand, PredictsWithoutALanguageAndWithTimes) {
  allow_times();
  const Finished predicted = portatune({"predict", "--model", file("model"), "--data", file("rows.csv"),
                                        "--return-timestamps", "--generation-max-length", "5"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const std::vector<json> lines = json_lines(predicted.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["audio"], "model/long.wav");
  EXPECT_GE(lines[1]["segments"][0]["end"], lines[1]["segments"][0]["start"]);
}

// Recordings of one to four windows, some of which are refused, in batches that no number of devices divides.
TEST_F(SpeechSeq2SeqCommand, HearsLongRecordingsAlikeOnSeveralDevicesAndProcesses) {
  allow_times();
  const fs::path model = folder_ / "model";
  const std::vector<std::vector<std::string>> talks = {{"long.wav", "short.wav", "long.wav", "short.wav"},
                                                       {"short.wav"},
                                                       {"long.wav", "long.wav"},
                                                       {"short.wav", "long.wav", "short.wav"},
                                                       {"long.wav"}};
  std::string rows = "audio,text\n";
  for (size_t i = 0; i < talks.size(); ++i) {
    const std::string name = std::to_string(i) + ".wav";
    write(file(name), test::joined_wav_files(model, talks[i]));
    rows += name + ",a\n";
  }
  write(file("talks.csv"), rows);
  const Words predict = Words{"predict", "--model", file("model"), "--data", file("talks.csv"), "--return-timestamps"} +
                        Words{"--temperature", "0,0.6", "--logprob-threshold", "-0.3"} +
                        Words{"--condition-on-prev-tokens", "--prompt", "Two"} +
                        Words{"--generation-max-length", "12", "--batch-size", "2"};
  const auto lines = [&](const Words& words, const Conditions& conditions = {}) {
    const Finished run = portatune(words, conditions);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  const std::string wanted = lines(predict);
  ASSERT_EQ(json_lines(wanted).size(), 5U);
  EXPECT_NE(lines(predict + Words{"--sampling-seed", "7"}), wanted);
  EXPECT_EQ(lines(with_batch_size(predict, "5")), wanted);
  for (const char* mesh : {"data=2", "tensor=2"}) EXPECT_EQ(lines(predict + Words{"--mesh", mesh}), wanted) << mesh;
  if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_gloo.so")) return;
  EXPECT_EQ(lines(predict, {.processes = 2, .by = By::kEnvironment}), wanted);
}

TEST_F(SpeechSeq2SeqCommand, EvaluatesTextsAtTheirTemperatures) {
  const auto scores = [&](const Words& more) {
    const Finished run = portatune(Words{"evaluate", "--model", file("model"), "--data", file("rows.csv"), "--language",
                                         "en", "--predict-with-generate", "--metrics", "all", "--json"} +
                                   more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  };
  const json plain = scores({});
  const json silent = scores({"--logprob-threshold", "0", "--no-speech-threshold", "0"});
  EXPECT_EQ(silent["wer"], 1.0);  // all words are missing
  EXPECT_EQ(silent["gen_len"], 0.0);
  EXPECT_EQ(silent["loss"], plain["loss"]);
  const json unchanged = scores({"--temperature", "0,1", "--logprob-threshold", "-50"});
  EXPECT_EQ(unchanged["cer"], plain["cer"]);
  const Finished refused = portatune({"evaluate", "--model", file("model"), "--data", file("rows.csv"), "--language",
                                      "en", "--predict-with-generate", "--temperature", "0,warm"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, testing::AllOf(HasSubstr("temperature"), HasSubstr("numbers from 0 to 100")));
}

TEST_F(SpeechSeq2SeqCommand, TrainsAdaptersThatLeaveTheWeights) {
  const Finished fit = portatune(this->fit({"--language", "English", "--adapter", "lora", "--learning-rate", "2e-2",
                                            "--epochs", "60", "--validation", file("rows.csv")}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json result = json::parse(fit.out);
  EXPECT_LT(result["after"]["loss"], result["before"]["loss"].get<double>() - 0.3) << fit.out;
  const json adapter = json::parse(std::ifstream(file("tuned/adapter_config.json")));
  EXPECT_EQ(adapter["target_modules"], json::array({"q_proj", "v_proj"}));
  const Finished evaluated =
      portatune({"evaluate", "--model", file("tuned"), "--language", "English", "--data", file("rows.csv"), "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_NEAR(json::parse(evaluated.out)["loss"], result["after"]["loss"].get<double>(), 1e-4);
}

TEST_F(SpeechSeq2SeqCommand, PlansWithoutRows) {
  const Finished plan = portatune(
      {"plan", "--on", "cpu", "--task", "speech-seq2seq", "--model", file("model"), "--language", "en", "--json"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
}

// One to three digits by two voices of espeak-ng, with two layers each for encoder and decoder from random weights, and
// a token for each digit.
TEST_F(SpeechSeq2SeqCommand, LearnsSpokenNumbers) {
  if (std::system("command -v espeak-ng python3 > /dev/null") != 0) GTEST_SKIP() << "no espeak-ng";
  const std::string script = (fs::path(PORTATUNE_TEST_DATA) / "../cli/tasks/spoken_numbers.py").string();
  ASSERT_EQ(std::system(("python3 '" + script + "' '" + file("numbers") + "'").c_str()), 0);
  json tokenizer = json::parse(read(file("model/tokenizer.json")));
  json config = json::parse(read(file("model/config.json")));
  int64_t size = config["vocab_size"];
  for (const char* word : {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}) {
    json token = tokenizer["added_tokens"].back();
    token.update({{"id", size++}, {"content", word}});
    tokenizer["added_tokens"].push_back(token);
  }
  config.update({{"vocab_size", size},
                 {"d_model", 64},
                 {"encoder_layers", 2},
                 {"decoder_layers", 2},
                 {"encoder_attention_heads", 4},
                 {"decoder_attention_heads", 4},
                 {"encoder_ffn_dim", 128},
                 {"decoder_ffn_dim", 128},
                 {"num_mel_bins", 40},
                 {"max_source_positions", 100}});
  write(file("model/tokenizer.json"), tokenizer.dump());
  write(file("model/config.json"), config.dump());
  write(file("model/preprocessor_config.json"), R"({"feature_size": 40, "chunk_length": 2})");
  json settings = json::parse(read(file("model/generation_config.json")));
  settings["suppress_tokens"] = json::array();  // they contain the space
  write(file("model/generation_config.json"), settings.dump());
  const Finished fit = portatune({"fit",
                                  "--task",
                                  "speech-seq2seq",
                                  "--from-config",
                                  "--model",
                                  file("model"),
                                  "--language",
                                  "en",
                                  "--train",
                                  file("numbers/train.csv"),
                                  "--validation",
                                  file("numbers/test.csv"),
                                  "--output",
                                  file("tuned"),
                                  "--epochs",
                                  "10",
                                  "--batch-size",
                                  "16",
                                  "--learning-rate",
                                  "2e-3",
                                  "--warmup-ratio",
                                  "0.1",
                                  "--max-target-length",
                                  "10",
                                  "--predict-with-generate",
                                  "--json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_LT(json::parse(fit.out)["after"]["wer"], 0.1) << fit.out;
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
