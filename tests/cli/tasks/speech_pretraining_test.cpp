// portatune fit, evaluate and predict on recordings without labels, end to end.
#include <gtest/gtest.h>

#include <filesystem>
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

// A small model with random weights, and a folder of recordings: sequences of tones.
class ToneToy {
 public:
  ToneToy() {
    fs::create_directory(folder_ / "model");
    write(file("model/preprocessor_config.json"), R"({"do_normalize": true, "return_attention_mask": true})");
    write(file("model/config.json"),
          R"({"model_type": "wav2vec2", "hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2,
              "intermediate_size": 96, "conv_dim": [32, 48], "conv_kernel": [80, 4], "conv_stride": [40, 4],
              "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4,
              "do_stable_layer_norm": true, "feat_extract_norm": "layer", "conv_bias": true, "layerdrop": 0.0,
              "mask_time_prob": 0.5, "mask_time_length": 3, "num_codevectors_per_group": 8, "codevector_dim": 16,
              "proj_codevector_dim": 16, "num_negatives": 10, "hidden_dropout": 0.0, "attention_dropout": 0.0,
              "activation_dropout": 0.0, "final_dropout": 0.0})");
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void add_tones(const std::string& name, int count) const {
    fs::create_directory(folder_ / name);
    for (int i = 0; i < count; ++i) {
      std::vector<int16_t> samples;
      for (int part = 0; part < 4; ++part) {
        const int height = (i * 7 + part * 5) % 6;
        const std::vector<int16_t> next = audio::tone(300 + 450 * height, static_cast<size_t>(1200 + 160 * (i % 3)));
        samples.insert(samples.end(), next.begin(), next.end());
      }
      write(file(name + "/" + std::to_string(i) + ".wav"), audio::wav_file(samples));
    }
  }

  Words fit(const Words& more = {}) const {
    return Words{"fit",          "--task",  "speech-pretraining", "--from-config", "--model",
                 file("model"),  "--train", file("train"),        "--output",      file("tuned"),
                 "--batch-size", "8",       "--learning-rate",    "3e-3",          "--json"} +
           more;
  }

 private:
  TemporaryFolder folder_;
};

class SpeechPretrainingCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_audio.so")) {
      GTEST_SKIP() << "built without libsndfile and libsoxr";
    }
  }
};

TEST_F(SpeechPretrainingCommand, LearnsMeasuresAndWritesCodevectors) {
  const ToneToy toy;
  toy.add_tones("train", 32);
  toy.add_tones("dev", 5);
  const Finished fit = portatune(toy.fit({"--validation", toy.file("dev"), "--epochs", "25"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json result = json::parse(fit.out);
  EXPECT_LT(result["after"]["contrastive_loss"], result["before"]["contrastive_loss"]) << fit.out;
  EXPECT_GT(result["after"]["accuracy"], result["before"]["accuracy"]) << fit.out;
  const json config = json::parse(std::ifstream(toy.file("tuned/config.json")));
  EXPECT_EQ(config["architectures"], json::array({"Wav2Vec2ForPreTraining"}));

  const Words model = {"--model", toy.file("tuned")};  // the task is that of the model's class
  const Finished evaluate = portatune(Words{"evaluate", "--data", toy.file("dev"), "--json"} + model);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_EQ(json::parse(evaluate.out)["accuracy"], result["after"]["accuracy"]);
  const Finished predict = portatune(Words{"predict", "--data", toy.file("dev")} + model);
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  const json line = json::parse(predict.out.substr(0, predict.out.find('\n')));
  EXPECT_EQ(line["codes"].size(), 29);
  EXPECT_EQ(line["codes"][0].size(), 2);
}

}  // namespace
}  // namespace portatune::cli
