// portatune fit, evaluate and predict on recordings, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "media/audio/tone.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/sources.h"
#include "runtime/pjrt/variable.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const fs::path kAudioModels = fs::path(PORTATUNE_TEST_DATA) / "models";

// A folder with a model, and recordings of tones of three heights that it can distinguish.
class AudioToy {
 public:
  AudioToy() { copy_model("ast_softmax", R"({"num_mel_bins": 12, "max_length": 24})"); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void copy_model(const std::string& name, const std::string& extractor) const {
    fs::remove_all(folder_ / "model");
    fs::create_directory(folder_ / "model");
    for (const std::string file : {"config.json", "model.safetensors"}) {
      fs::copy_file(kAudioModels / name / file, folder_ / "model" / file);
    }
    write(file("model/preprocessor_config.json"), extractor);
  }

  // DIR/CLASS/NUMBER.wav, `count` of each class.
  void add_tones(const std::string& dir, int count) const {
    for (const auto& [name, frequency] : {std::pair("high", 3000), std::pair("low", 300), std::pair("middle", 1000)}) {
      fs::create_directories(folder_ / dir / name);
      for (int i = 0; i < count; ++i) {
        const auto samples = static_cast<size_t>(3000 + 250 * (i % 5));
        write(file(dir + "/" + name + "/" + std::to_string(i) + ".wav"),
              audio::wav_file(audio::tone(frequency * (1 + 0.02 * i), samples)));
      }
    }
  }

  Words fit(const std::string& train, const Words& more = {}) const {
    return Words{"fit",      "--task",      "audio-classification", "--model", file("model"),     "--train", train,
                 "--output", file("tuned"), "--batch-size",         "16",      "--learning-rate", "1e-2",    "--json"} +
           more;
  }

 private:
  TemporaryFolder folder_;
};

class AudioClassificationCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_audio.so")) {
      GTEST_SKIP() << "built without libsndfile and libsoxr";
    }
  }
};

TEST_F(AudioClassificationCommand, LearnsMeasuresAndPredicts) {
  const AudioToy toy;
  toy.add_tones("train", 14);
  toy.add_tones("dev", 3);
  const Finished fit = portatune(toy.fit(toy.file("train"), {"--validation", toy.file("dev"), "--epochs", "8"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(json::parse(fit.out)["train_examples"], 42);
  EXPECT_EQ(json::parse(fit.out)["after"]["accuracy"], 1.0) << fit.out;

  const Words model = {"--model", toy.file("tuned")};  // the task is that of the model's class
  const Finished evaluate = portatune(Words{"evaluate", "--data", toy.file("dev"), "--json"} + model);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_EQ(json::parse(evaluate.out)["accuracy"], 1.0);

  const Finished predict = portatune(Words{"predict", "--data", toy.file("dev")} + model);
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  const std::vector<json> lines = json_lines(predict.out);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[4]["audio"], toy.file("dev") + "/low/1.wav");
  EXPECT_EQ(lines[4]["label"], "low");

  const json config = json::parse(std::ifstream(toy.file("tuned/config.json")));
  EXPECT_EQ(config["architectures"], json::array({"ASTForAudioClassification"}));
  EXPECT_EQ(config["id2label"], (json{{"0", "high"}, {"1", "low"}, {"2", "middle"}}));
  EXPECT_TRUE(fs::exists(toy.file("tuned/preprocessor_config.json")));
}

// With random parts of the recordings and masks of SpecAugment, a resumed run equals an uninterrupted one.
TEST_F(AudioClassificationCommand, ResumesBitForBit) {
  const AudioToy unbroken, broken;
  const Words options = {"--epochs", "40", "--max-length-seconds", "0.1", "--padding", "auto=2"};
  for (const AudioToy* toy : {&unbroken, &broken}) {
    toy->copy_model("wav2vec2_softmax", "{}");
    toy->add_tones("train", 6);
  }
  const Finished whole = portatune(unbroken.fit(unbroken.file("train"), options));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;

  Program run(broken.fit(broken.file("train"), options));
  ASSERT_TRUE(run.says("epoch 2/"));
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 75);
  const Words longer = {"--epochs", "40", "--max-length-seconds", "0.12", "--resume"};
  const Finished other = portatune(broken.fit(broken.file("train"), longer));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("max_length_seconds"));
  const Finished resumed = portatune(broken.fit(broken.file("train"), options + Words{"--resume"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(read(broken.file("tuned/model.safetensors")) == read(unbroken.file("tuned/model.safetensors")));
}

TEST_F(AudioClassificationCommand, TrainsOnTfrecordsWithTheSameBits) {
  const AudioToy toy;
  toy.add_tones("train", 4);
  const Finished write_records = portatune({"tfrecord", "write", "--input", toy.file("train"), "--audio-column",
                                            "audio", "--output", toy.file("train.tfrecord")});
  ASSERT_EQ(write_records.exit_code, 0) << write_records.err;
  const data::Example first = *data::read_tfrecord(toy.file("train.tfrecord")).iterate().next();
  EXPECT_EQ(first.text("audio"), read(toy.file("train/high/0.wav")));
  EXPECT_EQ(first.text("label"), "high");

  ASSERT_EQ(portatune(toy.fit(toy.file("train"), {"--epochs", "1"})).exit_code, 0);
  const std::string weights = read(toy.file("tuned/model.safetensors"));
  fs::remove_all(toy.file("tuned"));
  const Finished fit = portatune(toy.fit(toy.file("train.tfrecord"), {"--epochs", "1"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_TRUE(read(toy.file("tuned/model.safetensors")) == weights);
}

TEST_F(AudioClassificationCommand, NamesOrSkipsRecordingsThatAreDamaged) {
  const AudioToy toy;
  toy.add_tones("train", 4);
  write(toy.file("train/low/bad.wav"), read(toy.file("train/low/0.wav")).substr(0, 3000));
  const Finished fails = portatune(toy.fit(toy.file("train"), {"--epochs", "1"}));
  EXPECT_EQ(fails.exit_code, 65);
  EXPECT_THAT(fails.err, HasSubstr("train/low/bad.wav"));
  EXPECT_THAT(fails.err, HasSubstr("ends after 3000 bytes"));
  const Finished skips = portatune(toy.fit(toy.file("train"), {"--epochs", "1", "--bad-rows", "skip:1"}));
  ASSERT_EQ(skips.exit_code, 0) << skips.err;
  EXPECT_EQ(json::parse(skips.out)["skipped_rows"], 1);
}

// The classes are the speakers.
TEST_F(AudioClassificationCommand, LearnsVectorsOfSpeakers) {
  const AudioToy toy;
  toy.copy_model("wav2vec2_xvector", "{}");
  toy.add_tones("train", 8);
  toy.add_tones("dev", 3);
  const Finished fit =
      portatune(toy.fit(toy.file("train"), {"--xvector", "--validation", toy.file("dev"), "--epochs", "20"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_GT(json::parse(fit.out)["after"]["accuracy"], 0.8) << fit.out;
  EXPECT_EQ(json::parse(std::ifstream(toy.file("tuned/config.json")))["architectures"],
            json::array({"Wav2Vec2ForXVector"}));

  const Finished predict = portatune({"predict", "--data", toy.file("dev"), "--model", toy.file("tuned")});
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  const std::vector<json> lines = json_lines(predict.out);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[0]["embedding"].size(), 12u);
  EXPECT_EQ(lines[0]["scores"].size(), 3u);

  write(toy.file("train/low/short.wav"), audio::wav_file(audio::tone(300, 45)));  // three frames
  const Finished fails =
      portatune(toy.fit(toy.file("train"), {"--xvector", "--epochs", "1", "--overwrite-output-dir"}));
  EXPECT_EQ(fails.exit_code, 65);
  EXPECT_THAT(fails.err, HasSubstr("a recording of 3 frames"));
  EXPECT_THAT(fails.err, HasSubstr("at least 5"));
}

TEST_F(AudioClassificationCommand, RefusesVectorsOfSpeakersOfOtherModels) {
  const AudioToy toy;
  toy.add_tones("train", 2);
  const Finished fit = portatune(toy.fit(toy.file("train"), {"--xvector"}));
  EXPECT_EQ(fit.exit_code, 2);
  EXPECT_THAT(fit.err, HasSubstr("a model for which transformers has a class ...ForXVector"));
}

TEST_F(AudioClassificationCommand, SaysWhichPackagesAreMissing) {
  const AudioToy toy;
  toy.add_tones("train", 2);
  const pjrt::Variable nowhere("PORTATUNE_AUDIO_PLUGIN", "/nowhere/libportatune_audio.so");
  const Finished fit = portatune(toy.fit(toy.file("train")));
  EXPECT_EQ(fit.exit_code, 69);
  EXPECT_THAT(fit.err, HasSubstr("libsndfile1"));
  EXPECT_THAT(fit.err, HasSubstr("/nowhere/libportatune_audio.so"));
}

TEST_F(AudioClassificationCommand, PlansWithoutRows) {
  const AudioToy toy;
  const Finished plan =
      portatune({"plan", "--on", "cpu", "--task", "audio-classification", "--model", toy.file("model"), "--json"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
}

// Ten words by voices of espeak-ng, with a small AST from random weights.
TEST_F(AudioClassificationCommand, LearnsSpokenDigits) {
  if (std::system("command -v espeak-ng python3 > /dev/null") != 0) GTEST_SKIP() << "no espeak-ng";
  const AudioToy toy;
  const std::string script = (fs::path(PORTATUNE_TEST_DATA) / "../cli/tasks/spoken_digits.py").string();
  ASSERT_EQ(std::system(("python3 '" + script + "' '" + toy.file("digits") + "' --voices 8").c_str()), 0);
  write(toy.file("model/config.json"),
        R"({"model_type": "audio-spectrogram-transformer", "architectures": ["ASTForAudioClassification"],
            "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
            "max_length": 112, "num_mel_bins": 64, "patch_size": 16, "time_stride": 8, "frequency_stride": 16,
            "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0})");
  write(toy.file("model/preprocessor_config.json"), R"({"num_mel_bins": 64, "max_length": 112})");
  const Finished fit =
      portatune({"fit", "--task", "audio-classification", "--from-config", "--model", toy.file("model"), "--train",
                 toy.file("digits/train"), "--validation", toy.file("digits/test"), "--output", toy.file("tuned"),
                 "--epochs", "30", "--batch-size", "16", "--learning-rate", "2e-3", "--json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_GT(json::parse(fit.out)["after"]["accuracy"], 0.95) << fit.out;
}

}  // namespace
}  // namespace portatune::cli
