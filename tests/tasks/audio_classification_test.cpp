#include "portatune/tasks/audio_classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "io/http_server.h"
#include "io/temporary_folder.h"
#include "media/audio/tone.h"
#include "portatune/error.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/ops.h"
#include "tasks/forward.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kAudioModels = fs::path(PORTATUNE_TEST_DATA) / "models";

// A model of waveforms with 10 samples a frame, or of spectrograms of 24 frames and 12 bands; three classes each.
class AudioClassificationTask : public testing::Test {
 protected:
  void SetUp() override {
#ifdef PORTATUNE_AUDIO
    setenv("PORTATUNE_AUDIO_PLUGIN", PORTATUNE_AUDIO, 1);
    use_model("wav2vec2_stable", R"({"return_attention_mask": true, "do_normalize": false})");
#else
    GTEST_SKIP() << "built without libsndfile and libsoxr";
#endif
  }

  void use_model(const std::string& model, const std::string& extractor) const {
    for (const std::string file : {"config.json", "model.safetensors"}) {
      fs::copy_file(kAudioModels / model / file, folder_ / file, fs::copy_options::overwrite_existing);
    }
    write_text(folder_ / "preprocessor_config.json", extractor);
  }

  // 0.05 seconds are 800 samples.
  AudioClassification task(AudioClassificationOptions options = {.input = {.max_length_seconds = 0.05}}) const {
    return AudioClassification(folder_.path(), std::move(options));
  }
  data::Example row(const std::string& name, const std::vector<int16_t>& samples, const std::string& label) const {
    write_text(folder_ / name, audio::wav_file(samples));
    return data::Example().set("audio", (folder_ / name).string()).set("label", label);
  }
  // The samples 1, 2, 3, ... as integers.
  static std::vector<int16_t> counted(int16_t count) {
    std::vector<int16_t> samples(static_cast<size_t>(count));
    for (int16_t i = 0; i < count; ++i) samples[static_cast<size_t>(i)] = static_cast<int16_t>(i + 1);
    return samples;
  }

  TemporaryFolder folder_;
};

std::span<const float> waveform(const data::Example& example) { return example.tensor("input_values").as<float>(); }
float sample(int number) { return static_cast<float>(number) / 32768; }

TEST_F(AudioClassificationTask, PadsShortRecordingsAndCountsTheirSamples) {
  const AudioClassification task = this->task();
  const data::Example batch = *task.batches(data::from_examples({row("a.wav", counted(500), "2")}), 1).iterate().next();
  EXPECT_EQ(batch.tensor("input_values").shape(), (Shape{1, 800}));
  EXPECT_EQ(waveform(batch)[0], sample(1));
  EXPECT_EQ(waveform(batch)[499], sample(500));
  EXPECT_EQ(waveform(batch)[500], 0);
  EXPECT_EQ(batch.tensor("samples").as<int32_t>()[0], 500);
  EXPECT_EQ(batch.tensor("labels").as<int32_t>()[0], 2);
  EXPECT_EQ(batch.texts("audio")[0], (folder_ / "a.wav").string());
}

TEST_F(AudioClassificationTask, BatchesRecordingsOfSimilarLength) {
  AudioClassification task = this->task();
  EXPECT_EQ(task.max_length(), 79);
  const data::Dataset rows = data::from_examples(
      {row("a.wav", counted(500), "0"), row("b.wav", counted(2000), "1"), row("c.wav", counted(490), "2")});
  EXPECT_EQ(task.length_counts(task.batches(rows, 2)), (data::LengthCounts{{48, 1}, {49, 1}, {79, 1}}));
  EXPECT_EQ(task.length_counts(*task.length_batches(rows, RowTask::Labels::kRequired)),
            task.length_counts(task.batches(rows, 2)));
  task.set_lengths({79, 49});
  std::vector<Shape> shapes;
  for (const data::Example& batch : task.training_batches(rows, 2, {.buffer = 3}).iterate()) {
    shapes.push_back(batch.tensor("input_values").shape());
    EXPECT_EQ(batch.tensor("mask_time").shape(), (Shape{2, shapes.back()[1] == 500 ? 49 : 79}));
  }
  EXPECT_THAT(shapes, testing::UnorderedElementsAre(Shape{2, 500}, Shape{2, 800}));
  const data::Example first = *task.training_batches(rows, 2, {.buffer = 3}).iterate().next();
  std::vector<Shape> masks;  // of the programs that a run compiles before its first step
  for (const data::BatchType& type : first.batch_types()) {
    const auto mask = std::ranges::find(type, "mask_time", &data::BatchType::value_type::first);
    ASSERT_NE(mask, type.end());
    masks.push_back(mask->second.shape);
  }
  EXPECT_THAT(masks, testing::UnorderedElementsAre(Shape{2, 49}, Shape{2, 79}));
  EXPECT_THROW(task.set_lengths({80}), UsageError);
}

TEST_F(AudioClassificationTask, EvaluatesTheBeginningOfLongRecordings) {
  const data::Example example = task().encode(row("a.wav", counted(900), "0"));
  EXPECT_EQ(waveform(example)[0], sample(1));
  EXPECT_EQ(waveform(example)[799], sample(800));
  EXPECT_EQ(example.tensor("samples").as<int32_t>()[0], 800);
}

TEST_F(AudioClassificationTask, TrainsOnRandomPartsByEpochAndIndex) {
  const AudioClassification task = this->task();
  const data::Dataset rows = data::from_examples({row("a.wav", counted(2000), "0")});
  const auto first_sample = [&](uint64_t seed, int64_t epoch) {
    const auto batch = task.training_batches(rows, 1, {.buffer = 1, .seed = seed}).iterate(epoch).next();
    const auto samples = waveform(*batch);
    EXPECT_NEAR(samples[799] - samples[0], sample(799), 1e-9);
    return static_cast<int>(samples[0] * 32768);
  };
  EXPECT_EQ(first_sample(1, 0), first_sample(1, 0));
  std::set<int> begins;
  for (int64_t epoch = 0; epoch < 40; ++epoch) begins.insert(first_sample(1, epoch));
  EXPECT_GT(begins.size(), 30u);
  EXPECT_GE(*begins.begin(), 1);
  EXPECT_LE(*begins.rbegin(), 1201);
}

TEST_F(AudioClassificationTask, MasksSpansInTrainingAlone) {
  const AudioClassification task = this->task();
  const data::Dataset rows = data::from_examples({row("a.wav", counted(800), "0")});
  EXPECT_FALSE(task.batches(rows, 1).iterate().next()->has("mask_time"));
  const auto batch = task.training_batches(rows, 1, {.buffer = 1}).iterate().next();
  EXPECT_EQ(batch->tensor("mask_time").shape(), (Shape{1, 79}));
  EXPECT_GT(std::ranges::count(batch->tensor("mask_time").as<int32_t>(), 1), 0);
  EXPECT_FALSE(batch->has("mask_feature"));  // mask_feature_prob is 0
}

TEST_F(AudioClassificationTask, HidesPaddingAsTheExtractorOrElseTheModelSays) {
  const auto has_samples = [&](const std::string& extractor, bool attention_mask = true) {
    use_model("wav2vec2_stable", extractor);
    return task({.input = {.max_length_seconds = 0.05, .attention_mask = attention_mask}})
        .encode(row("a.wav", counted(500), "0"))
        .has("samples");
  };
  EXPECT_TRUE(has_samples(R"({"return_attention_mask": true})"));
  EXPECT_FALSE(has_samples(R"({"return_attention_mask": false})"));
  EXPECT_FALSE(has_samples(R"({"return_attention_mask": true})", false));
  EXPECT_TRUE(has_samples("{}"));
}

TEST_F(AudioClassificationTask, GivesSpectrogramsToAst) {
  use_model("ast_softmax", R"({"num_mel_bins": 12, "max_length": 24})");
  const data::Example example = task().encode(row("a.wav", audio::tone(440, 3000), "1"));
  EXPECT_EQ(example.tensor("input_values").shape(), (Shape{24, 12}));
  EXPECT_FALSE(example.has("samples"));
  EXPECT_THAT(message_of<UsageError>([&] { task({.input = {.max_length_seconds = 0.01}}); }),
              HasSubstr("at least 400 samples"));
  EXPECT_THROW(task().set_lengths({10}), UsageError);
}

// Spectrograms of 24 frames in a second.
constexpr const char* kWhisperFeatures =
    R"({"feature_size": 10, "sampling_rate": 2400, "hop_length": 100, "chunk_length": 1})";

TEST_F(AudioClassificationTask, GivesSpectrogramsToWhisper) {
  use_model("whisper_softmax", kWhisperFeatures);
  const AudioClassification task = this->task({.input = {.max_length_seconds = 0.5}});
  EXPECT_EQ(task.encode(row("a.wav", audio::tone(440, 3000), "1")).tensor("input_values").shape(), (Shape{10, 24}));
  use_model("whisper_softmax", R"({"feature_size": 10, "chunk_length": 1})");
  EXPECT_THAT(message_of<CheckpointError>([&] { this->task(); }), HasSubstr("24 frames"));
}

TEST_F(AudioClassificationTask, TakesTheEncoderOfATranscriber) {
  use_model("whisper_lm", kWhisperFeatures);
  const AudioClassification task = this->task({.labels = {"no", "yes"}, .input = {.max_length_seconds = 0.5}});
  nn::Context context({});
  const auto input = parameter("input_values", {DType::kFloat32, {1, 10, 24}});
  const auto labels = parameter("labels", {DType::kInt32, {1}});
  const auto weights = parameter("weights", {DType::kFloat32, {1}});
  task.forward(nn::Scope(context),
               {{"input_values", input}, {"labels", labels}, {std::string(data::kExampleWeight), weights}});
  const std::vector<nn::Parameter> parameters(context.parameters().begin(), context.parameters().end());
  const InitialWeights loaded = task.initial_weights(parameters, 1);
  EXPECT_THAT(loaded.report.body, testing::IsEmpty());
  EXPECT_THAT(loaded.report.missing, testing::UnorderedElementsAre("projector.weight", "projector.bias",
                                                                   "classifier.weight", "classifier.bias"));
  EXPECT_EQ(parameters.front().name, "encoder.conv1.weight");
}

// The loss has the margin, the logits of a prediction do not.
TEST_F(AudioClassificationTask, ComputesVectorsOfSpeakers) {
  use_model("wav2vec2_xvector", "{}");
  const AudioClassification task = this->task();
  const data::Dataset rows = data::from_examples({row("a.wav", audio::tone(440, 400), task.labels()[2])});
  const data::Example batch = *task.batches(rows, 1).iterate().next();
  const test::Computed found = test::compute(task, batch);
  const nlohmann::json line = nlohmann::json::parse(task.prediction_lines()->take(batch, found.outputs));
  EXPECT_EQ(line["embedding"].size(), 12u);
  std::vector<double> logits = line["logits"];
  ASSERT_EQ(logits.size(), 4u);
  for (const double logit : logits) EXPECT_LE(std::abs(logit), kAmSoftmaxScale);
  logits[2] -= kAmSoftmaxScale * kAmSoftmaxMargin;
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - logits[2]);
  EXPECT_NEAR(found.loss_sum, std::log(sum), 1e-4);

  fs::create_directory(folder_ / "saved");
  task.save(folder_ / "saved");
  EXPECT_THAT(text_of(folder_ / "saved/config.json"), HasSubstr("Wav2Vec2ForXVector"));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row("short.wav", counted(45), task.labels()[0])); }),
              testing::AllOf(HasSubstr("3 frames"), HasSubstr("at least 5")));
}

TEST_F(AudioClassificationTask, RefusesExtractorsOfOtherModels) {
  use_model("ast_softmax", R"({"num_mel_bins": 12, "max_length": 100})");
  EXPECT_THAT(message_of<CheckpointError>([&] { task(); }), HasSubstr("max_length 24"));
  use_model("wav2vec2_stable", R"({"feature_extractor_type": "ASTFeatureExtractor"})");
  EXPECT_THAT(message_of<CheckpointError>([&] { task(); }), HasSubstr("reads waveforms"));
}

TEST_F(AudioClassificationTask, NamesRecordingsThatAreTooShort) {
  EXPECT_THAT(message_of<DataError>([&] { task().encode(row("short.wav", counted(19), "0")); }),
              testing::AllOf(HasSubstr("short.wav"), HasSubstr("19 samples"), HasSubstr("at least 20")));
  EXPECT_NO_THROW(task().encode(row("short.wav", counted(20), "0")));
  EXPECT_THROW(task({.input = {.max_length_seconds = 0.001}}), UsageError);
}

TEST_F(AudioClassificationTask, ReadsTablesFoldersAndBytes) {
  fs::create_directories(folder_ / "clips/yes");
  row("clips/yes/a.wav", counted(100), "");
  write_text(folder_ / "table.csv", "file,class\nclips/yes/a.wav,LABEL_1\n");
  const auto first = [](const data::Dataset& rows) { return *rows.iterate().next(); };
  const AudioClassification from_table =
      task({.audio_column = "file", .label_column = "class", .input = {.max_length_seconds = 0.05}});
  const data::Example in_table =
      from_table.encode(first(from_table.read({(folder_ / "table.csv").string()}, RowTask::Labels::kRequired)));
  EXPECT_EQ(in_table.text("audio"), "clips/yes/a.wav");
  EXPECT_EQ(in_table.tensor("labels").as<int32_t>()[0], 1);

  const data::Example in_folder = first(read_recordings({(folder_ / "clips").string()}, "audio", "label"));
  EXPECT_EQ(in_folder.text("label"), "yes");
  const data::Example bytes = data::Example().set("audio", text_of(folder_ / "clips/yes/a.wav")).set("label", "0");
  for (const data::Example& row : {in_folder, bytes}) {
    EXPECT_TRUE(std::ranges::equal(waveform(task().encode(row, RowTask::Labels::kIgnored)), waveform(in_table)));
  }
}

TEST_F(AudioClassificationTask, ReadsRemoteTablesAndRecordings) {
  setenv("NETRC", "/dev/null", 1);
  const std::string wav = audio::wav_file(counted(100)), table = "audio,label\nyes/a.wav,LABEL_1\n";
  const HttpServer server([&](const HttpRequest& request) {
    return ranged(request, request.path() == "/speech/yes/a.wav" ? wav : table, "\"1\"");
  });
  const AudioClassification t = task();
  const data::Dataset rows = t.read({server.url("/speech/table.csv")}, RowTask::Labels::kRequired);
  const data::Example batch = *t.batches(rows, 1).iterate().next();
  EXPECT_EQ(batch.tensor("labels").as<int32_t>()[0], 1);
  const std::vector<float> samples(waveform(batch).begin(), waveform(batch).begin() + 2);
  EXPECT_THAT(samples, ElementsAre(sample(1), sample(2)));
}

}  // namespace
}  // namespace portatune
