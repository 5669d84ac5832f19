// portatune fit, evaluate and predict on speech with transcriptions, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "media/audio/tone.h"
#include "portatune/media/audio/wav_file.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// A small model that is trained from random weights, and recordings of tones: "a" is high, "b" is low.
class SpeechToy {
 public:
  SpeechToy() {
    fs::create_directory(folder_ / "model");
    write(file("model/preprocessor_config.json"), R"({"do_normalize": true, "return_attention_mask": true})");
    write(file("model/config.json"),
          R"({"model_type": "wav2vec2", "architectures": ["Wav2Vec2ForPreTraining"], "hidden_size": 48,
              "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 96, "conv_dim": [32, 48],
              "conv_kernel": [80, 4], "conv_stride": [40, 4], "num_feat_extract_layers": 2,
              "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4, "do_stable_layer_norm": true,
              "feat_extract_norm": "layer", "conv_bias": true, "hidden_dropout": 0.0, "attention_dropout": 0.0,
              "activation_dropout": 0.0, "feat_proj_dropout": 0.0, "final_dropout": 0.0, "layerdrop": 0.0,
              "apply_spec_augment": false, "ctc_loss_reduction": "mean"})");
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  // NAME.csv with sequences of tones, whose lengths differ.
  void add_tones(const std::string& name, int count) const {
    fs::create_directory(folder_ / name);
    std::string table = "audio,text\n";
    for (int i = 0; i < count; ++i) {
      std::vector<int16_t> samples;
      std::string text;
      for (int tone = 0; tone < 2 + i % 3; ++tone) {
        const bool is_high = (i >> tone) % 2 == 1;
        const std::vector<int16_t> next = audio::tone((is_high ? 2500 : 400) + 10 * i, 1600);
        samples.insert(samples.end(), next.begin(), next.end());
        samples.insert(samples.end(), 800, 0);
        text += is_high ? "A" : "b";
      }
      const std::string recording = name + "/" + std::to_string(i) + ".wav";
      write(file(recording), audio::wav_file(samples));
      table += recording + "," + text + ".\n";
    }
    write(file(name + ".csv"), table);
  }

  Words fit(const Words& more = {}) const {
    return Words{"fit",
                 "--task",
                 "speech-ctc",
                 "--from-config",
                 "--model",
                 file("model"),
                 "--train",
                 file("train.csv"),
                 "--chars-to-ignore",
                 ".",
                 "--output",
                 file("tuned"),
                 "--batch-size",
                 "8",
                 "--learning-rate",
                 "5e-3",
                 "--json"} +
           more;
  }

 private:
  TemporaryFolder folder_;
};

class SpeechCtcCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_audio.so")) {
      GTEST_SKIP() << "built without libsndfile and libsoxr";
    }
  }
};

TEST_F(SpeechCtcCommand, LearnsMeasuresAndTranscribes) {
  const SpeechToy toy;
  toy.add_tones("train", 48);
  toy.add_tones("dev", 9);
  const Finished fit = portatune(toy.fit({"--validation", toy.file("dev.csv"), "--epochs", "60"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(json::parse(fit.out)["train_examples"], 48);
  EXPECT_LT(json::parse(fit.out)["after"]["cer"], 0.05) << fit.out;

  const json config = json::parse(std::ifstream(toy.file("tuned/config.json")));
  EXPECT_EQ(config["architectures"], json::array({"Wav2Vec2ForCTC"}));
  EXPECT_EQ(config["vocab_size"], 7);  // a, b, the space, [UNK], [PAD], <s>, </s>
  EXPECT_EQ(config["pad_token_id"], 4);
  const Words model = {"--model", toy.file("tuned")};  // the task is that of the model's class
  const Finished evaluate = portatune(Words{"evaluate", "--data", toy.file("dev.csv"), "--json"} + model);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_EQ(json::parse(evaluate.out)["cer"], json::parse(fit.out)["after"]["cer"]);

  const Finished predict = portatune(Words{"predict", "--data", toy.file("dev.csv")} + model);
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  const std::vector<json> lines = json_lines(predict.out);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[4]["audio"], "dev/4.wav");
  EXPECT_EQ(lines[4]["text"], "bba");
}

// With random masks of SpecAugment, a resumed run equals an uninterrupted one.
TEST_F(SpeechCtcCommand, ResumesBitForBit) {
  const SpeechToy unbroken, broken;
  for (const SpeechToy* toy : {&unbroken, &broken}) {
    toy->add_tones("train", 16);
    json config = json::parse(std::ifstream(toy->file("model/config.json")));
    config["apply_spec_augment"] = true;
    config["mask_time_prob"] = 0.3;
    config["mask_time_length"] = 4;
    write(toy->file("model/config.json"), config.dump());
  }
  const Words options = {"--epochs", "40"};
  ASSERT_EQ(portatune(unbroken.fit(options)).exit_code, 0);
  Program run(broken.fit(options));
  ASSERT_TRUE(run.says("epoch 2/"));
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 75);
  const Finished other = portatune(broken.fit(options + Words{"--resume", "--min-duration-seconds", "0.01"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("min_duration_seconds"));
  const Finished resumed = portatune(broken.fit(options + Words{"--resume"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(read(broken.file("tuned/model.safetensors")) == read(unbroken.file("tuned/model.safetensors")));
}

TEST_F(SpeechCtcCommand, SaysWhichRowsAreLeftOutOrBad) {
  const SpeechToy toy;
  toy.add_tones("train", 9);
  const Finished some = portatune(toy.fit({"--epochs", "1", "--max-duration-seconds", "0.5"}));
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_EQ(json::parse(some.out)["train_examples"], 6);
  EXPECT_THAT(some.err, HasSubstr("3 recordings"));
  write(toy.file("train.csv"), read(toy.file("train.csv")) + "train/0.wav," + std::string(60, 'a') + "\n");
  fs::remove_all(toy.file("tuned"));
  const Finished fails = portatune(toy.fit({"--epochs", "1"}));
  EXPECT_EQ(fails.exit_code, 65);
  EXPECT_THAT(fails.err, HasSubstr("train/0.wav"));
  EXPECT_THAT(fails.err, HasSubstr("frames for a transcription that needs"));
  const Finished skips = portatune(toy.fit({"--epochs", "1", "--bad-rows", "skip:1"}));
  ASSERT_EQ(skips.exit_code, 0) << skips.err;
  EXPECT_EQ(json::parse(skips.out)["skipped_rows"], 1);
}

// The head is new, as the letters are others.
TEST_F(SpeechCtcCommand, TrainsTheHeadBesideAdapters) {
  const SpeechToy toy;
  toy.add_tones("train", 48);
  ASSERT_EQ(portatune(toy.fit({"--epochs", "30"})).exit_code, 0);
  std::string table = read(toy.file("train.csv"));
  std::ranges::replace(table, 'A', 'x');
  std::ranges::replace(table, 'b', 'y');
  write(toy.file("other.csv"), table);
  const Words adapter = {"--task",
                         "speech-ctc",
                         "--adapter",
                         "lora",
                         "--model",
                         toy.file("tuned"),
                         "--train",
                         toy.file("other.csv"),
                         "--output",
                         toy.file("adapter"),
                         "--epochs",
                         "30",
                         "--json",
                         "--chars-to-ignore",
                         ".",
                         "--new-vocabulary",
                         "--validation",
                         toy.file("other.csv"),
                         "--batch-size",
                         "8",
                         "--learning-rate",
                         "1e-2"};
  const Finished fit = portatune(Words{"fit"} + adapter);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json result = json::parse(fit.out);
  EXPECT_LT(result["after"]["cer"], 0.1) << fit.out;
  EXPECT_EQ(json::parse(read(toy.file("adapter/adapter_config.json")))["modules_to_save"], json::array({"lm_head"}));
  const Finished evaluate =
      portatune({"evaluate", "--model", toy.file("adapter"), "--data", toy.file("other.csv"), "--json"});
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_EQ(json::parse(evaluate.out)["cer"], result["after"]["cer"]);
}

TEST_F(SpeechCtcCommand, PlansWithoutRows) {
  const SpeechToy toy;
  const Finished plan = portatune({"plan", "--on", "cpu", "--task", "speech-ctc", "--from-config", "--model",
                                   toy.file("model"), "--max-duration-seconds", "1", "--json"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
}

// One to three digits by two voices of espeak-ng, with a small model from random weights.
TEST_F(SpeechCtcCommand, LearnsSpokenNumbers) {
  if (std::system("command -v espeak-ng python3 > /dev/null") != 0) GTEST_SKIP() << "no espeak-ng";
  const SpeechToy toy;
  const std::string script = (fs::path(PORTATUNE_TEST_DATA) / "../cli/tasks/spoken_numbers.py").string();
  ASSERT_EQ(std::system(("python3 '" + script + "' '" + toy.file("numbers") + "'").c_str()), 0);
  json config = json::parse(std::ifstream(toy.file("model/config.json")));
  config.update(json::parse(R"({"hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
      "intermediate_size": 192, "conv_dim": [48, 96, 96], "conv_kernel": [80, 5, 4], "conv_stride": [40, 4, 2],
      "num_feat_extract_layers": 3, "num_conv_pos_embeddings": 16, "hidden_dropout": 0.1, "feat_proj_dropout": 0.1,
      "final_dropout": 0.1})"));
  write(toy.file("model/config.json"), config.dump());
  const Finished fit = portatune({"fit",
                                  "--task",
                                  "speech-ctc",
                                  "--from-config",
                                  "--model",
                                  toy.file("model"),
                                  "--train",
                                  toy.file("numbers/train.csv"),
                                  "--validation",
                                  toy.file("numbers/test.csv"),
                                  "--output",
                                  toy.file("tuned"),
                                  "--epochs",
                                  "12",
                                  "--batch-size",
                                  "16",
                                  "--learning-rate",
                                  "2e-3",
                                  "--warmup-ratio",
                                  "0.1",
                                  "--padding",
                                  "auto=1",
                                  "--json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_LT(json::parse(fit.out)["after"]["cer"], 0.05) << fit.out;
}

}  // namespace
}  // namespace portatune::cli
