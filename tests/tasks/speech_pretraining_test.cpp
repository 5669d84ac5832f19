#include "portatune/tasks/speech_pretraining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "media/audio/tone.h"
#include "portatune/error.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/ops.h"
#include "portatune/tasks/metrics/codevectors.h"
#include "portatune/tasks/objectives/contrastive.h"
#include "tasks/forward.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
constexpr auto kMasked = RowTask::Labels::kRequired, kUnmasked = RowTask::Labels::kIgnored;

// A model with 10 samples a frame, which hides padding.
class SpeechPretrainingTask : public testing::Test {
 protected:
  void SetUp() override {
#ifdef PORTATUNE_AUDIO
    setenv("PORTATUNE_AUDIO_PLUGIN", PORTATUNE_AUDIO, 1);
#else
    GTEST_SKIP() << "built without libsndfile and libsoxr";
#endif
    for (const std::string file : {"config.json", "model.safetensors"}) {
      fs::copy_file(fs::path(PORTATUNE_TEST_DATA) / "models/wav2vec2_pretraining" / file, folder_ / file);
    }
    write_text(folder_ / "preprocessor_config.json", "{}");
  }

  void change_config(const char* key, const json& value) const {
    json config = json::parse(text_of(folder_ / "config.json"));
    config[key] = value;
    write_text(folder_ / "config.json", config.dump());
  }
  std::unique_ptr<RowTask> task(SpeechPretrainingOptions options = {}) const {
    if (!options.mask_time_prob) options.mask_time_prob = 0.5;
    if (!options.mask_time_length) options.mask_time_length = 2;
    options.input.max_length_seconds = 0.05;
    return speech_pretraining(folder_.path(), std::move(options));
  }
  data::Dataset rows() const {
    std::vector<data::Example> rows;
    for (const size_t samples : {400, 215}) {
      const std::string file = (folder_ / (std::to_string(samples) + ".wav")).string();
      write_text(file, audio::wav_file(audio::tone(440, samples)));
      rows.push_back(data::Example().set("audio", file));
    }
    return data::from_examples(rows);
  }
  data::Example batch(const RowTask& task, RowTask::Labels labels = kMasked) const {
    return *task.batches(rows(), 2, labels).iterate().next();
  }
  std::string refusal(const char* key, const json& value) const {
    change_config(key, value);
    return message_of<CheckpointError>([&] { task(); });
  }

  TemporaryFolder folder_;
};

std::vector<int32_t> ints_of(const data::Example& batch, std::string_view name) {
  const auto values = batch.tensor(name).as<int32_t>();
  return {values.begin(), values.end()};
}

TEST_F(SpeechPretrainingTask, MasksRealFramesTheSameEachTime) {
  const auto t = task();
  const data::Example b = batch(*t), again = batch(*t);
  EXPECT_EQ(ints_of(b, "mask_time"), ints_of(again, "mask_time"));
  EXPECT_EQ(ints_of(b, "negatives"), ints_of(again, "negatives"));
  const std::vector<int32_t> mask = ints_of(b, "mask_time"), frames = ints_of(b, "frames");
  const int64_t padded = b.tensor("mask_time").shape()[1];
  EXPECT_THAT(frames, ElementsAre(39, 20));
  EXPECT_EQ(b.tensor("negatives").shape(), (Shape{2, padded, 7}));
  EXPECT_EQ(std::ranges::count(std::span(mask).subspan(static_cast<size_t>(padded) + 20), 1), 0);
  EXPECT_GE(std::ranges::count(std::span(mask).first(39), 1), 10);
  EXPECT_FALSE(batch(*t, kUnmasked).has("mask_time"));
}

TEST_F(SpeechPretrainingTask, DrawsOtherMasksWithEachSeed) {
  const auto t = task();
  std::set<std::vector<int32_t>> masks;
  for (const uint64_t seed : {1, 2, 3}) {
    const data::Example b = *t->training_batches(rows(), 2, {.seed = seed}).iterate().next();
    masks.insert(ints_of(b, "mask_time"));
    EXPECT_EQ(b.batch_types().back().back().first, "negatives");
  }
  EXPECT_EQ(masks.size(), 3U);
}

TEST_F(SpeechPretrainingTask, DividesTheLossByTheMaskedFrames) {
  const auto t = task();
  const data::Example b = batch(*t);
  const test::Computed found = test::compute(*t, b);
  EXPECT_EQ(found.weight_sum, std::ranges::count(ints_of(b, "mask_time"), 1));
  const auto metrics = t->metrics();
  metrics->update(b, found.outputs);
  const Scores scores = metrics->result();
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[0].first, "contrastive_loss");
  EXPECT_LT(scores[0].second, found.loss_sum / found.weight_sum) << "which has the diversity loss";
  EXPECT_GE(scores[2].second, 2);
  EXPECT_LE(scores[2].second, 12);
}

TEST_F(SpeechPretrainingTask, PredictsTheCodevectorsOfRealFrames) {
  const auto t = task();
  const data::Example b = batch(*t, kUnmasked);
  const test::Computed found = test::compute(*t, b);
  EXPECT_EQ(found.loss_sum, 0);
  std::istringstream lines(t->prediction_lines()->take(b, found.outputs));
  std::string line;
  for (const size_t frames : {39, 20}) {
    ASSERT_TRUE(std::getline(lines, line));
    const json value = json::parse(line);
    EXPECT_THAT(value["audio"], HasSubstr(".wav"));
    EXPECT_EQ(value["codes"].size(), frames);
    EXPECT_EQ(value["codes"][0].size(), 2U);
    EXPECT_LT(value["codes"][0][1], 6);
  }
}

TEST_F(SpeechPretrainingTask, LeavesOutShortRecordings) {
  const auto t = task({.min_duration_seconds = 0.015});
  static_cast<void>(rows());  // writes the files
  write_text(folder_ / "rows.csv", "audio\n400.wav\n215.wav\n");
  const std::vector<std::string> files = {(folder_ / "rows.csv").string()};
  EXPECT_EQ(t->read(files, kMasked).count(), 1);
  EXPECT_EQ(t->read(files, kUnmasked).count(), 2);
}

TEST_F(SpeechPretrainingTask, RefusesModelsThatCannotMask) {
  EXPECT_THAT(refusal("mask_feature_prob", 0.1), HasSubstr("mask_feature_prob above 0"));
  change_config("mask_feature_prob", 0.0);
  EXPECT_THAT(refusal("apply_spec_augment", false), HasSubstr("apply_spec_augment false"));
  change_config("apply_spec_augment", true);
  EXPECT_THAT(refusal("mask_time_prob", 0.0), HasSubstr("mask_time_prob 0"));
  change_config("mask_time_prob", 0.05);
  EXPECT_THAT(message_of<UsageError>([&] { task({.max_gumbel_temperature = 0.1}); }), HasSubstr("at most"));
  change_config("model_type", "hubert");
  EXPECT_THAT(message_of<UsageError>([&] { task(); }), HasSubstr("...ForPreTraining"));
}

TEST(CodevectorMetrics, CountMaskedFramesOfRowsThatCount) {
  tasks::CodevectorMetrics metrics(
      {.class_name = "", .groups = 1, .codevectors = 3, .negatives = 1, .temperature = 1, .diversity_loss_weight = 0});
  data::Example batch, outputs;
  batch.set(data::kExampleWeight, Tensor({2}, {1.0F, 0.0F}));
  batch.set("mask_time", Tensor({2, 3}, {1, 0, 1, 1, 1, 1}));
  outputs.set("codes", Tensor({2, 3, 1}, {0, 1, 2, 1, 1, 1}));
  outputs.set("contrastive_loss", Tensor({2}, {3.0F, 100.0F}));
  outputs.set("hits", Tensor({2}, {1.0F, 3.0F}));
  metrics.update(batch, outputs);
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("contrastive_loss", 1.5), Pair("accuracy", 0.5),
                                            Pair("codevector_perplexity", testing::DoubleNear(2, 1e-9))));
}

TEST(GumbelNoise, HasTheMomentsOfItsDistribution) {
  const Value key = constant(Tensor({2}, {3u, 4u}));
  const Tensor noise = test::evaluate({tasks::gumbel_noise({100, 1000}, key)}, {}, {})[0];
  double sum = 0, squares = 0;
  for (const float value : noise.as<float>()) {
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double mean = sum / 1e5;
  EXPECT_NEAR(mean, 0.5772, 0.02);                         // Euler's constant
  EXPECT_NEAR(squares / 1e5 - mean * mean, 1.6449, 0.05);  // pi^2 / 6
}

}  // namespace
}  // namespace portatune
