// Loss and transcriptions against transformers: tests/oracle/tasks/make_speech_ctc_cases.py.
#include "portatune/tasks/speech_ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "media/audio/tone.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/sources.h"
#include "portatune/tasks/metrics/transcriptions.h"
#include "tasks/forward.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
constexpr auto kWithTexts = RowTask::Labels::kRequired, kWithoutTexts = RowTask::Labels::kIgnored;

const fs::path kSpeechData = PORTATUNE_TEST_DATA;

const json& speech_golden() {
  static const json kGolden = json::parse(std::ifstream(kSpeechData / "tasks/speech_ctc.json"));
  return kGolden;
}

// A model with 10 samples a frame and masks of padding, or with 20 and without masks.
class SpeechCtcTask : public testing::Test {
 protected:
  void SetUp() override {
#ifdef PORTATUNE_AUDIO
    setenv("PORTATUNE_AUDIO_PLUGIN", PORTATUNE_AUDIO, 1);
    use_model("wav2vec2_ctc_mean");
#else
    GTEST_SKIP() << "built without libsndfile and libsoxr";
#endif
  }

  void copy(const fs::path& from, const std::vector<std::string>& files) const {
    for (const std::string& file : files) {
      fs::copy_file(kSpeechData / from / file, folder_ / file, fs::copy_options::overwrite_existing);
    }
  }
  void use_model(const std::string& name) const {
    copy("models/" + name, {"config.json", "model.safetensors"});
    const json& expected = speech_golden()["cases"][name];
    write_text(folder_ / "preprocessor_config.json", expected["extractor"].dump());
    write_text(folder_ / "vocab.json", expected["vocabulary"].dump());
  }
  void change_config(const char* key, const json& value) const {
    json config = json::parse(text_of(folder_ / "config.json"));
    config[key] = value;
    write_text(folder_ / "config.json", config.dump());
  }
  SpeechCtc task(SpeechCtcOptions options = {}) const { return SpeechCtc(folder_.path(), std::move(options)); }
  data::Example row(const std::string& name, size_t samples, const std::string& text) const {
    write_text(folder_ / name, audio::wav_file(audio::tone(440, samples)));
    return data::Example().set("audio", (folder_ / name).string()).set("text", text);
  }
  // The recordings of the golden file.
  data::Dataset golden_rows() const {
    std::vector<int16_t> samples;
    for (const float sample : audio::read(kSpeechData / "audio/decode/16k.wav")) {
      samples.push_back(static_cast<int16_t>(sample * 32768));
    }
    std::vector<data::Example> rows;
    for (size_t i = 0; i < 2; ++i) {
      const fs::path file = folder_ / (std::to_string(i) + ".wav");
      write_text(file, audio::wav_file(std::span(samples).first(speech_golden()["samples"][i].get<size_t>())));
      rows.push_back(
          data::Example().set("audio", file.string()).set("text", speech_golden()["texts"][i].get<std::string>()));
    }
    return data::from_examples(rows);
  }

  // A model with adapters of English, and the files of German.
  void use_languages() const {
    copy("models/wav2vec2_language", {"config.json", "model.safetensors"});
    copy("speech_languages",
         {"adapter.deu.safetensors", "preprocessor_config.json", "tokenizer_config.json", "vocab.json"});
  }

  TemporaryFolder folder_;
};

TEST_F(SpeechCtcTask, EqualsTransformers) {
  for (const auto& [name, expected] : speech_golden()["cases"].items()) {
    SCOPED_TRACE(name);
    use_model(name);
    SpeechCtc task = this->task();
    const std::vector<int64_t> frames = expected["frames"];
    task.set_pairs({{frames[0], 8}});
    const data::Example batch = *task.batches(golden_rows(), 2).iterate().next();
    const test::Computed computed = test::compute(task, batch);
    const double loss = expected["loss"];
    EXPECT_NEAR(computed.loss_sum / computed.weight_sum, loss, 1e-5 * loss);
    EXPECT_EQ(tasks::transcriptions(batch, computed.outputs, tasks::CtcTokenizer::load(folder_.path())),
              expected["transcriptions"].get<std::vector<std::string>>());
  }
}

// tests/oracle/tasks/make_speech_language_cases.py
TEST_F(SpeechCtcTask, EqualsTransformersInEachLanguage) {
  use_languages();
  const json golden = json::parse(std::ifstream(kSpeechData / "tasks/speech_languages.json"));
  for (const auto& [language, expected] : golden["cases"].items()) {
    SCOPED_TRACE(language);
    // The weights of English are those of the model, without a file.
    SpeechCtc task = this->task({.target_lang = language});
    task.set_pairs({{expected["frames"][0].get<int64_t>(), 8}});
    const data::Example batch = *task.batches(golden_rows(), 2).iterate().next();
    const test::Computed computed = test::compute(task, batch);
    const double loss = expected["loss"];
    EXPECT_NEAR(computed.loss_sum / computed.weight_sum, loss, 1e-5 * loss);
    EXPECT_EQ(tasks::transcriptions(batch, computed.outputs, tasks::CtcTokenizer::load(folder_.path(), language)),
              expected["transcriptions"].get<std::vector<std::string>>());
  }
}

TEST_F(SpeechCtcTask, SavesTheLanguage) {
  use_languages();
  fs::create_directory(folder_ / "saved");
  task({.target_lang = "deu"}).save(folder_ / "saved");
  EXPECT_EQ(json::parse(text_of(folder_ / "saved/config.json"))["vocab_size"], 7);
  EXPECT_EQ(json::parse(text_of(folder_ / "saved/tokenizer_config.json"))["target_lang"], "deu");
  EXPECT_EQ(text_of(folder_ / "saved/vocab.json"), text_of(folder_ / "vocab.json"));
  EXPECT_EQ(tasks::language_of(folder_ / "saved"), "deu");
}

TEST_F(SpeechCtcTask, MakesANewLanguage) {
  use_languages();
  const SpeechCtc task = this->task({.target_lang = "fra", .characters = "xyz"});
  const data::Example batch = *task.batches(data::from_examples({row("a.wav", 800, "x")}), 1).iterate().next();
  nn::Context context({});
  Columns columns;
  for (const std::string& name : {"input_values", "samples", "example_weight"}) {
    if (batch.has(name)) columns.emplace(name, constant(batch.tensor(name)));
  }
  task.forward(nn::Scope(context), columns);
  const std::vector<nn::Parameter> parameters(context.parameters().begin(), context.parameters().end());
  const LoadReport report = task.initial_weights(parameters, 0).report;
  EXPECT_THAT(report.missing, testing::Each(testing::ContainsRegex("adapter_layer|lm_head")));
  EXPECT_EQ(report.missing.size(), 8U);
  EXPECT_THAT(report.body, testing::IsEmpty());
  fs::create_directory(folder_ / "saved");
  task.save(folder_ / "saved");
  const json saved = json::parse(text_of(folder_ / "saved/vocab.json"));
  EXPECT_EQ(saved["deu"], json::parse(text_of(folder_ / "vocab.json"))["deu"]);
  EXPECT_EQ(saved["fra"]["[PAD]"], 5);
  EXPECT_EQ(tasks::CtcTokenizer::load(folder_ / "saved").blank_id(), 5);
}

TEST_F(SpeechCtcTask, RefusesLanguagesThatTheModelLacks) {
  const auto refusal = [&](const std::string& language) {
    return message_of<Error>([&] { task({.target_lang = language}); });
  };
  EXPECT_THAT(refusal("deu"), HasSubstr("has one vocabulary"));
  use_languages();
  EXPECT_THAT(refusal("fra"), HasSubstr("eng, deu"));
  fs::remove(folder_ / "adapter.deu.safetensors");
  EXPECT_THAT(refusal("deu"), HasSubstr("adapter.deu.safetensors"));
  fs::copy_file(kSpeechData / "models/wav2vec2_stable/model.safetensors", folder_ / "adapter.deu.safetensors");
  EXPECT_THAT(refusal("deu"), HasSubstr("lm_head.weight"));
  copy("models/wav2vec2_ctc_mean", {"config.json"});
  EXPECT_THAT(refusal("deu"), HasSubstr("adapter_attn_dim"));
}

TEST_F(SpeechCtcTask, PadsRecordingsAndLabelsOfABucket) {
  SpeechCtc task = this->task();
  task.set_pairs({{20, 4}, {100, 8}});
  const data::Dataset rows =
      data::from_examples({row("a.wav", 215, "AB"), row("b.wav", 1019, "a b-x"), row("c.wav", 155, "f")});
  std::vector<data::Example> batches;
  for (const data::Example& batch : task.batches(rows, 2).iterate()) batches.push_back(batch);
  ASSERT_EQ(batches.size(), 2u);
  // The model reads 210 samples for 20 frames; the label 2 stands for a space.
  EXPECT_EQ(batches[0].tensor("input_values").shape(), (Shape{2, 210}));
  EXPECT_THAT(batches[0].tensor("samples").as<int32_t>(), ElementsAre(210, 155));
  EXPECT_THAT(batches[0].tensor("frames").as<int32_t>(), ElementsAre(20, 14));
  EXPECT_THAT(batches[0].tensor("labels").as<int32_t>(), ElementsAre(0, 1, 2, -100, 8, 2, -100, -100));
  EXPECT_THAT(batches[0].texts("spelled_text"), ElementsAre("ab", "f"));
  EXPECT_EQ(batches[1].tensor("input_values").shape(), (Shape{2, 1010}));
  EXPECT_THAT(batches[1].tensor("frames").as<int32_t>(), ElementsAre(100, 0));
  EXPECT_EQ(batches[1].texts("spelled_text")[0], "a b<unk><unk>");
  EXPECT_THAT(task.pair_counts(task.batches(rows, 2)),
              ElementsAre(Pair(data::LengthPair{14, 2}, 1), Pair(data::LengthPair{20, 3}, 1),
                          Pair(data::LengthPair{100, 6}, 1)));
  EXPECT_THAT(task.length_counts(task.batches(rows, 2, kWithoutTexts)),
              ElementsAre(Pair(14, 1), Pair(20, 1), Pair(100, 1)));
  EXPECT_EQ(task.pair_counts(*task.length_batches(rows, kWithTexts)), task.pair_counts(task.batches(rows, 2)));
}

TEST_F(SpeechCtcTask, FindsLengthsWithoutDecoding) {
  std::string file = text_of(kSpeechData / "audio/decode/16k_float.wav");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(file.data() + file.size() - sizeof nan, &nan, sizeof nan);
  const SpeechCtc task = this->task();
  const data::Dataset rows = data::from_examples({data::Example().set("audio", file).set("text", "ab")});
  EXPECT_THAT(task.pair_counts(*task.length_batches(rows, kWithTexts)), ElementsAre(Pair(data::LengthPair{191, 3}, 1)));
  EXPECT_THROW(task.encode(*rows.iterate().next()), DataError);
  const auto count = [&](SpeechCtcOptions options, const data::Example& row) {
    const SpeechCtc task = this->task(std::move(options));
    task.pair_counts(*task.length_batches(data::from_examples({row}), kWithTexts));
  };
  EXPECT_THAT(message_of<DataError>([&] { count({}, row("a.wav", 55, "aab")); }), HasSubstr("that needs 5"));
  EXPECT_THAT(message_of<DataError>([&] { count({}, row("a.wav", 9, "a")); }), HasSubstr("9 samples"));
  EXPECT_THAT(message_of<DataError>([&] { count({.input = {.max_file_seconds = 0.1}}, row("a.wav", 1601, "a")); }),
              HasSubstr("more than 0.1 seconds"));
}

TEST_F(SpeechCtcTask, LeavesOutLabelledRowsByTheirDuration) {
  write_text(folder_ / "train.csv", "audio,text\na.wav,a\nb.wav,b\nc.wav,c\n");
  row("a.wav", 160, "");
  row("b.wav", 800, "");
  row("c.wav", 1600, "");
  const SpeechCtc task = this->task({.min_duration_seconds = 0.01, .input = {.max_length_seconds = 0.1}});
  const std::string table = (folder_ / "train.csv").string();
  EXPECT_EQ(task.read({table}, kWithTexts).count(), 1);
  EXPECT_EQ(task.read({table}, kWithoutTexts).count(), 3);
  EXPECT_THAT(task.have_duration(task.read({table}, kWithoutTexts)), ElementsAre(false, true, false));
  EXPECT_THROW(this->task({.min_duration_seconds = 30}), UsageError);
}

TEST_F(SpeechCtcTask, KeepsRowsWhoseRecordingsCannotBeReadForTheirError) {
  write_text(folder_ / "train.csv", "audio,text\na.wav,a\nmissing.wav,b\nb.wav,c,d\nb.wav,c\n");
  row("a.wav", 800, "");
  row("b.wav", 1600, "");
  const std::string table = (folder_ / "train.csv").string();
  EXPECT_THROW(task().read({table}, kWithTexts), DataError);  // the row of three fields
  const auto skipped = std::make_shared<data::BadRows>(2);
  const SpeechCtc tolerant(folder_.path(), {.input = {.max_length_seconds = 0.1}}, skipped);
  const data::Dataset rows = tolerant.read({table}, kWithTexts).skip_bad_rows(skipped);
  EXPECT_EQ(rows.count(), 2);
  EXPECT_EQ(tolerant.batches(tolerant.read({table}, kWithTexts), 1).skip_bad_rows(skipped).count(), 1);
  EXPECT_EQ(skipped->count(), 2);
}

TEST_F(SpeechCtcTask, RefusesRowsThatCannotBeTrainedOn) {
  const auto error = [&](const data::Example& row, SpeechCtcOptions options = {}) {
    return message_of<DataError>([&] { task(std::move(options)).encode(row); });
  };
  EXPECT_THAT(error(row("a.wav", 800, " ")), HasSubstr("an empty text"));
  EXPECT_THAT(error(row("a.wav", 800, "a"), {.input = {.max_length_seconds = 0.04}}),
              HasSubstr("max-duration-seconds"));
  // "aab" and the space need 5 frames, and 45 samples have 4.
  EXPECT_THAT(error(row("a.wav", 55, "aab")), HasSubstr("4 frames for a transcription that needs 5"));
  EXPECT_NO_THROW(task().encode(row("a.wav", 65, "aab")));
  change_config("ctc_zero_infinity", true);
  EXPECT_NO_THROW(task().encode(row("a.wav", 55, "aab")));
}

TEST_F(SpeechCtcTask, RemovesCharactersAndSpellsInTheCaseOfTheVocabulary) {
  const auto spelled = [&](const std::string& text) {
    return task({.chars_to_ignore = "-.é"}).encode(row("a.wav", 800, text)).text("spelled_text");
  };
  EXPECT_EQ(spelled("A-b. C"), "ab c");
  EXPECT_EQ(spelled("éa"), "a");
  json vocabulary = json::parse(text_of(folder_ / "vocab.json"));
  vocabulary["A"] = vocabulary["a"];
  for (const char* letter : {"a", "b", "c", "d", "e", "f"}) vocabulary.erase(letter);
  write_text(folder_ / "vocab.json", vocabulary.dump());
  EXPECT_EQ(spelled("a"), "A");
}

TEST_F(SpeechCtcTask, MasksFramesInTrainingAlone) {
  SpeechCtc task = this->task();
  task.set_pairs({{100, 8}});
  const data::Dataset rows = data::from_examples({row("a.wav", 1010, "a"), row("b.wav", 215, "b")});
  EXPECT_FALSE(task.batches(rows, 2).iterate().next()->has("mask_time"));
  const auto masks = [&](int64_t epoch) {
    const auto batch = task.training_batches(rows, 2, {.buffer = 1, .seed = 3}).iterate(epoch).next();
    EXPECT_FALSE(batch->has("mask_key"));
    EXPECT_EQ(batch->tensor("mask_time").shape(), (Shape{2, 100}));
    const std::span<const int32_t> values = batch->tensor("mask_time").as<int32_t>();
    EXPECT_EQ(std::ranges::count(values.subspan(120), 1), 0);  // padding of the second row
    return std::vector<int32_t>(values.begin(), values.end());
  };
  EXPECT_EQ(masks(0), masks(0));
  EXPECT_NE(masks(0), masks(1));
}

TEST_F(SpeechCtcTask, ReadsTheAudioOfDatasetsInParquet) {
  if (!fs::exists(PORTATUNE_ARROW_PLUGIN_FILE)) GTEST_SKIP() << "no plug-in for Arrow";
  setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
  fs::create_directory(folder_ / "clips");
  row("clips/b.wav", 215, "");
  fs::copy_file(kSpeechData / "arrow/speech.parquet", folder_ / "speech.parquet");
  SpeechCtc task = this->task();
  task.set_pairs({{60, 12}});
  const data::Dataset rows = task.read({(folder_ / "speech.parquet").string()}, kWithTexts);
  const data::Example batch = *task.batches(rows, 2).iterate().next();
  EXPECT_THAT(batch.tensor("frames").as<int32_t>(), ElementsAre(49, 20));  // of 500 samples, and of 215
  EXPECT_EQ(batch.texts("spelled_text")[0], "<unk><unk>e <unk><unk><unk><unk>");
}

TEST_F(SpeechCtcTask, MakesAVocabularyAndItsHead) {
  fs::remove(folder_ / "vocab.json");
  EXPECT_THROW(task(), NotFoundError);
  write_text(folder_ / "tokenizer_config.json", R"({"word_delimiter_token": "_"})");  // of another tokenizer
  const SpeechCtc task = this->task({.ctc_loss_reduction = "sum", .characters = "xyzuvwäst' "});
  EXPECT_EQ(task.encode(row("a.wav", 800, "XÄ ?")).text("spelled_text"), "xä [UNK]");
  fs::create_directory(folder_ / "saved");
  task.save(folder_ / "saved");
  const json config = json::parse(text_of(folder_ / "saved/config.json"));
  EXPECT_EQ(config["vocab_size"], 11 + 4);  // and [UNK], [PAD], <s>, </s>
  EXPECT_EQ(config["pad_token_id"], 12);
  EXPECT_EQ(config["ctc_loss_reduction"], "sum");
  EXPECT_EQ(config["architectures"], json::array({"Wav2Vec2ForCTC"}));
  EXPECT_EQ(json::parse(text_of(folder_ / "saved/vocab.json"))["[PAD]"], 12);
  EXPECT_EQ(json::parse(text_of(folder_ / "saved/tokenizer_config.json"))["word_delimiter_token"], "|");
  EXPECT_TRUE(fs::exists(folder_ / "saved/preprocessor_config.json"));
}

TEST_F(SpeechCtcTask, RefusesModelsThatDoNotFit) {
  write_text(folder_ / "vocab.json", R"({"a": 0, "<pad>": 1})");
  EXPECT_THAT(message_of<CheckpointError>([&] { task(); }), HasSubstr("padding 3"));
  fs::copy_file(kSpeechData / "models/ast_softmax/config.json", folder_ / "config.json",
                fs::copy_options::overwrite_existing);
  write_text(folder_ / "preprocessor_config.json", R"({"num_mel_bins": 12, "max_length": 24})");
  EXPECT_THAT(message_of<UsageError>([&] { task(); }), HasSubstr("no CTC head"));
}

TEST_F(SpeechCtcTask, MeasuresAndWritesTranscriptions) {
  const SpeechCtc task = this->task();
  const data::Example batch = data::Example()
                                  .set("audio", std::vector<std::string>{"a.wav", "b.wav", ""})
                                  .set("spelled_text", std::vector<std::string>{"ab", "c d", ""})
                                  .set("head_frames", Tensor({3}, {4, 3, 0}))
                                  .set(data::kExampleWeight, Tensor({3}, {1.0F, 2.0F, 0.0F}));
  // The blank is 3, the space 2.
  const data::Example outputs = data::Example().set("frame_ids", Tensor({3, 4}, {0, 0, 3, 1, 4, 2, 4, 0, 0, 0, 0, 0}));
  const auto metrics = task.metrics();
  EXPECT_TRUE(metrics->result().empty());
  metrics->update(batch, outputs);
  EXPECT_THAT(metrics->result(), ElementsAre(Pair("wer", 1 / 3.0), Pair("cer", 1 / 5.0)));
  EXPECT_EQ(task.prediction_lines()->take(batch, outputs),
            "{\"audio\":\"a.wav\",\"text\":\"ab\"}\n{\"audio\":\"b.wav\",\"text\":\"c c\"}\n");
  EXPECT_EQ(task.score_of_best_model(), "wer");
  EXPECT_THROW(this->task({.metrics = {"bleu"}}), UsageError);
}

}  // namespace
}  // namespace portatune
