// The task against run_speech_recognition_seq2seq.py: tests/data/speech_seq2seq, made by
// tests/oracle/tasks/make_speech_seq2seq_case.py; attempts against generate() of transformers:
// tests/data/speech_attempts.json, made by make_speech_attempt_cases.py there.
#include "portatune/tasks/speech_seq2seq.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/text/json.h"
#include "portatune/media_models.h"
#include "tasks/forward.h"
#include "tasks/joined_wav_files.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kFolder = fs::path(PORTATUNE_TEST_DATA) / "speech_seq2seq";
constexpr auto kAllSegments = PromptCondition::kAllSegments;
constexpr auto kWithLabels = RowTask::Labels::kRequired, kWithoutLabels = RowTask::Labels::kIgnored;

class SpeechSeq2SeqTask : public testing::Test {
 protected:
  void SetUp() override {
#ifdef PORTATUNE_AUDIO
    setenv("PORTATUNE_AUDIO_PLUGIN", PORTATUNE_AUDIO, 1);
#else
    GTEST_SKIP() << "built without libsndfile and libsoxr";
#endif
    fs::copy(kFolder, folder_.path(), fs::copy_options::recursive);
  }

  // The options with those of a case of the script.
  static SpeechSeq2SeqOptions options_of(const nlohmann::ordered_json& options) {
    SpeechSeq2SeqOptions result{.language = options["language"], .generation_task = options["task"]};
    result.max_target_length = 20;
    result.predict_with_generate = true;
    result.generation_max_length = 12;
    if (options.contains("num_beams")) result.num_beams = options["num_beams"].get<int64_t>();
    return result;
  }
  std::unique_ptr<RowTask> task(SpeechSeq2SeqOptions options) const {
    return speech_seq2seq(folder_.path(), std::move(options));
  }
  std::unique_ptr<RowTask> english() const { return task({.language = "en", .max_target_length = 20}); }

  void allow_times() const {
    json settings = json::parse(text_of(folder_ / "generation_config.json"));
    settings["suppress_tokens"] = golden_["timed"]["suppress_tokens"];
    write_text(folder_ / "generation_config.json", settings.dump());
  }
  // Both recordings in one batch.
  data::Example batch(const RowTask& task, RowTask::Labels labels = kWithLabels) const {
    std::vector<data::Example> rows;
    for (const auto& [name, text] : golden_["rows"].items()) rows.push_back(row(name, text));
    const data::Dataset batches = task.batches(data::from_examples(rows), 2, labels);
    return *batches.iterate().next();
  }
  data::Example row(const std::string& file, const std::string& text) const {
    return data::Example().set("audio", (folder_ / file).string()).set("text", text);
  }
  static std::vector<std::vector<int32_t>> label_rows(const data::Example& batch) {
    const Tensor& labels = batch.tensor("labels");
    const auto width = static_cast<size_t>(labels.shape()[1]);
    std::vector<std::vector<int32_t>> rows;
    for (size_t i = 0; i < static_cast<size_t>(labels.shape()[0]); ++i) {
      const auto row = labels.as<int32_t>().subspan(i * width, width);
      rows.emplace_back(row.begin(), row.end());
    }
    return rows;
  }
  static std::vector<json> lines_of(const RowTask& task, const data::Example& batch, const data::Example& outputs) {
    std::istringstream lines(task.prediction_lines()->take(batch, outputs));
    std::vector<json> values;
    for (std::string line; std::getline(lines, line);) values.push_back(json::parse(line));
    return values;
  }
  static std::vector<std::string> texts_of(const RowTask& task, const data::Example& batch,
                                           const data::Example& outputs) {
    std::vector<std::string> texts;
    for (const json& line : lines_of(task, batch, outputs)) texts.push_back(line["text"]);
    return texts;
  }

  TemporaryFolder folder_;
  const nlohmann::ordered_json golden_ = nlohmann::ordered_json::parse(text_of(kFolder / "golden.json"));
};

TEST_F(SpeechSeq2SeqTask, HasLabelsLossAndTextsOfTheScript) {
  for (const auto& [name, wanted] : golden_["cases"].items()) {
    SCOPED_TRACE(name);
    const auto t = task(options_of(wanted["options"]));
    const data::Example b = batch(*t);
    auto labels = wanted["labels"].get<std::vector<std::vector<int32_t>>>();
    for (auto& row : labels) row.resize(20, -100);
    EXPECT_EQ(label_rows(b), labels);
    const test::Computed found = test::compute(*t, b);
    EXPECT_NEAR(found.loss_sum / found.weight_sum, wanted["loss"].get<double>(), 2e-4);  // features in float64
    EXPECT_EQ(texts_of(*t, b, found.outputs), wanted["texts"].get<std::vector<std::string>>());
  }
}

TEST_F(SpeechSeq2SeqTask, ScoresTextsByWordsAndCharacters) {
  const auto t = task(options_of(golden_["cases"]["chinese"]["options"]));
  const data::Example b = batch(*t);
  const auto metrics = t->metrics();
  metrics->update(b, test::compute(*t, b).outputs);
  std::vector<std::string> names;
  for (const auto& [name, value] : metrics->result()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("perplexity", "accuracy", "wer", "cer"));
  EXPECT_EQ(t->score_of_best_model(), "wer");
  EXPECT_EQ(english()->score_of_best_model(), "");  // evaluations generate no texts
}

TEST_F(SpeechSeq2SeqTask, PredictsWithoutTranscriptions) {
  const auto& wanted = golden_["cases"]["translation"];
  SpeechSeq2SeqOptions options = options_of(wanted["options"]);
  options.predict_with_generate = false;
  const auto t = task(options);
  const data::Example b = batch(*t, kWithoutLabels);
  EXPECT_FALSE(b.has("labels"));
  EXPECT_EQ(texts_of(*t, b, test::compute(*t, b).outputs), wanted["texts"].get<std::vector<std::string>>());
  EXPECT_THAT(t->columns(kWithoutLabels), ElementsAre("audio"));
}

TEST_F(SpeechSeq2SeqTask, DetectsTheLanguageOfPredictionsAlone) {
  const auto t = task({.generation_task = "transcribe", .generation_max_length = 12});
  const data::Example b = batch(*t, kWithoutLabels);
  EXPECT_EQ(texts_of(*t, b, test::compute(*t, b).outputs), golden_["detected"].get<std::vector<std::string>>());
  EXPECT_THAT(message_of<UsageError>([&] { batch(*t); }), HasSubstr("--language"));
  EXPECT_THAT(message_of<UsageError>([&] { t->read({"rows.csv"}, kWithLabels); }), HasSubstr("--language"));
}

TEST_F(SpeechSeq2SeqTask, WritesThePartsOfTextsWithTheirTimes) {
  allow_times();
  SpeechSeq2SeqOptions options = options_of(golden_["cases"]["chinese"]["options"]);
  options.return_timestamps = true;
  const auto t = task(options);
  const data::Example b = batch(*t, kWithoutLabels);
  const std::vector<json> lines = lines_of(*t, b, test::compute(*t, b).outputs);
  const auto& wanted = golden_["timed"]["rows"];
  ASSERT_EQ(lines.size(), wanted.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["text"], wanted[i]["text"].get<std::string>());
    EXPECT_EQ(lines[i]["segments"], json(wanted[i]["segments"]));
  }
  EXPECT_EQ(label_rows(batch(*t)), label_rows(batch(*task(options_of(golden_["cases"]["chinese"]["options"])))));
}

// Rows of one window are in the same batch.
TEST_F(SpeechSeq2SeqTask, HearsLongRecordingsWindowByWindow) {
  allow_times();
  for (const auto& [name, wanted] : golden_["talks"].items()) {
    SCOPED_TRACE(name);
    SpeechSeq2SeqOptions options{.return_timestamps = true};
    options.language = wanted["options"].value("language", "");
    options.generation_task = wanted["options"]["task"];
    options.generation_max_length = 12;
    if (wanted["options"].contains("num_beams")) options.num_beams = wanted["options"]["num_beams"].get<int64_t>();
    const auto t = task(options);
    write_text(folder_ / "talk.wav", test::joined_wav_files(folder_.path(), wanted["parts"]));
    const std::vector<data::Example> rows = {row("short.wav", ""), row("talk.wav", "")};
    const data::Example b = *t->batches(data::from_examples(rows), 3, kWithoutLabels).iterate().next();
    const auto run = [&](const data::Example& windows) { return test::compute(*t, windows).outputs; };
    const std::vector<json> lines = lines_of(*t, b, *t->outputs_of_all_passes(b, run(b), run));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1]["text"], wanted["text"].get<std::string>());
    EXPECT_EQ(lines[1]["segments"], json(wanted["segments"]));
    const data::Example alone = *t->batches(data::from_examples({rows[0]}), 1, kWithoutLabels).iterate().next();
    EXPECT_EQ(lines[0], lines_of(*t, alone, run(alone))[0]);
  }
}

// The attempts to write the texts of recordings, and the lines that result.
class SpeechAttemptsOfTask : public SpeechSeq2SeqTask {
 protected:
  struct Heard {
    std::vector<json> lines;
    std::vector<data::Example> passes;                // outputs of one, each
    std::vector<std::vector<int32_t>> previous = {};  // the tokens before the texts of the last row in each pass
  };

  static SpeechSeq2SeqOptions options_of(const json& run) {
    const json& given = run["options"];
    const auto threshold = [&](const char* name) {
      return given.contains(name) ? std::optional(given[name].get<double>()) : std::nullopt;
    };
    SpeechSeq2SeqOptions options{.language = given.value("language", ""), .generation_task = given["task"]};
    options.generation_max_length =
        given.contains("max_length") ? given["max_length"].get<int64_t>() : given.value("max_new_tokens", 12);
    if (given.contains("num_beams")) options.num_beams = given["num_beams"].get<int64_t>();
    const auto temperatures = given["temperature"].get<std::vector<double>>();
    options.temperature.assign(temperatures.begin(), temperatures.end());
    options.compression_ratio_threshold = threshold("compression_ratio_threshold");
    options.logprob_threshold = threshold("logprob_threshold");
    options.no_speech_threshold = threshold("no_speech_threshold");
    options.return_timestamps = run["has_times"];
    options.prompt = given.value("prompt", "");
    if (given.contains("condition_on_prev_tokens")) {
      options.condition_on_prev_tokens = given["condition_on_prev_tokens"].get<bool>();
    }
    if (given.contains("prompt_condition_type")) options.prompt_condition_type = PromptCondition::kAllSegments;
    return options;
  }

  // before  rows before the recording in its batch
  Heard heard(const json& run, const SpeechSeq2SeqOptions& options, std::vector<data::Example> before = {}) const {
    const auto t = task(options);
    write_text(folder_ / "talk.wav", test::joined_wav_files(folder_.path(), run["parts"]));
    before.push_back(row("talk.wav", ""));
    const auto size = std::ssize(before);
    const data::Example b = *t->batches(data::from_examples(before), size, kWithoutLabels).iterate().next();
    Heard found;
    const auto pass = [&](const data::Example& windows) {
      if (windows.has("previous_speech")) found.previous.push_back(previous_of_last_row(windows));
      found.passes.push_back(test::compute(*t, windows).outputs);
      return found.passes.back();
    };
    found.lines = lines_of(*t, b, *t->outputs_of_all_passes(b, pass(b), pass));
    return found;
  }

  static std::vector<int32_t> previous_of_last_row(const data::Example& batch) {
    const Tensor& previous = batch.tensor("previous_speech");
    const auto row = previous.as<int32_t>().last(static_cast<size_t>(previous.shape()[1]));
    std::vector<int32_t> tokens(row.begin(), row.end());
    std::erase(tokens, -1);
    return tokens;
  }

  void change_settings(const json& changes) const {
    json settings = json::parse(text_of(folder_ / "generation_config.json"));
    settings.update(changes);
    write_text(folder_ / "generation_config.json", settings.dump());
  }

  const json runs_ = json::parse(text_of(fs::path(PORTATUNE_TEST_DATA) / "speech_attempts.json"));
};

TEST_F(SpeechAttemptsOfTask, EqualThoseOfTransformers) {
  const std::string settings = text_of(folder_ / "generation_config.json");
  for (const auto& [name, run] : runs_.items()) {
    if (name == "sampled") continue;
    SCOPED_TRACE(name);
    write_text(folder_ / "generation_config.json", settings);
    if (run["has_times"]) allow_times();
    if (run["options"].contains("top_k")) change_settings({{"top_k", run["options"]["top_k"]}});
    change_settings(run["options"].value("of_model", json::object()));
    const Heard found = heard(run, options_of(run));
    EXPECT_EQ(found.lines[0]["text"], run["text"].get<std::string>());
    EXPECT_EQ(found.lines[0].value("segments", json::array()), run["has_times"] ? run["segments"] : json::array());
    const json& attempts = run["attempts"];
    ASSERT_EQ(found.passes.size(), attempts.size());
    for (size_t i = 0; i < attempts.size(); ++i) {
      if (attempts[i].contains("previous")) {
        EXPECT_EQ(found.previous[i], attempts[i]["previous"].get<std::vector<int32_t>>()) << i;
      }
      const data::Example& pass = found.passes[i];
      if (!attempts[i]["logprob"].is_null()) {
        const double tokens = static_cast<double>(attempts[i]["tokens"].size());
        EXPECT_NEAR(pass.tensor("speech_logprobs").as<float>()[0] / tokens, attempts[i]["logprob"].get<double>(), 2e-4);
      }
      if (attempts[i]["no_speech"].is_null()) continue;
      EXPECT_NEAR(pass.tensor("no_speech").as<float>()[0], attempts[i]["no_speech"].get<double>(), 2e-5);
    }
  }
}

// Other rows have other texts before theirs.
TEST_F(SpeechAttemptsOfTask, WithEarlierTextsDoNotDependOnTheBatch) {
  allow_times();
  write_text(folder_ / "other.wav", test::joined_wav_files(folder_.path(), {"short.wav", "long.wav", "long.wav"}));
  for (const char* name : {"history", "history_beams", "history_beside_prompt"}) {
    SCOPED_TRACE(name);
    const json& run = runs_[name];
    const Heard found = heard(run, options_of(run), {row("other.wav", ""), row("short.wav", "")});
    ASSERT_EQ(found.lines.size(), 3U);
    EXPECT_EQ(found.lines[2]["text"], run["text"].get<std::string>());
    EXPECT_EQ(found.lines[2]["segments"], run["segments"]);
  }
}

TEST_F(SpeechAttemptsOfTask, BeginEarlierTextsWithTheTokenOfTheModel) {
  allow_times();
  json settings = json::parse(text_of(folder_ / "generation_config.json"));
  settings["prev_sot_token_id"] = 262;
  write_text(folder_ / "generation_config.json", settings.dump());
  const Heard found = heard(runs_["history"], options_of(runs_["history"]));
  ASSERT_GE(found.previous.size(), 2U);
  EXPECT_THAT(found.previous[0], testing::IsEmpty());
  EXPECT_EQ(found.previous[1].front(), 262);
}

TEST_F(SpeechSeq2SeqTask, RefusesPromptsThatGenerateRefuses) {
  const auto message = [&](const std::string& prompt) {
    return message_of<UsageError>([&] { task({.language = "en", .max_target_length = 20, .prompt = prompt}); });
  };
  EXPECT_THAT(message("a<|en|>"), HasSubstr("the special token <|en|>"));
  EXPECT_THAT(message("a text that is too long"), HasSubstr("fewer than 24, the positions of the decoder"));
  json tokenizer = json::parse(text_of(folder_ / "tokenizer.json"));
  for (json& token : tokenizer["added_tokens"]) {
    if (token["content"] == "<|startofprev|>") token["content"] = "<|other|>";
  }
  write_text(folder_ / "tokenizer.json", tokenizer.dump());
  EXPECT_THAT(message("Two"), HasSubstr("<|startofprev|>"));
}

TEST_F(SpeechAttemptsOfTask, SampleBySeedAndSoundAlone) {
  allow_times();
  const json& run = runs_["sampled"];
  SpeechSeq2SeqOptions options = options_of(run);
  options.compression_ratio_threshold = {};
  options.logprob_threshold = -0.05;  // refuses all
  const Heard first = heard(run, options);
  EXPECT_EQ(first.passes.size() % 3, 0U);
  EXPECT_EQ(heard(run, options).lines, first.lines);
  const json other = heard(run, options, {row("short.wav", "")}).lines[1];
  EXPECT_EQ(other["segments"], first.lines[0]["segments"]);
  options.sampling_seed = 7;
  EXPECT_NE(heard(run, options).lines, first.lines);
  options.temperature = {0};
  options.logprob_threshold = {};
  EXPECT_NE(heard(run, options).lines, first.lines);
}

// The first candidate above the threshold is kept, and the last one if there is none.
TEST_F(SpeechAttemptsOfTask, KeepTheFirstProbableText) {
  allow_times();
  json run = runs_["sampled"];
  run["parts"] = {"short.wav", "short.wav"};  // one window
  SpeechSeq2SeqOptions options = options_of(run);
  options.compression_ratio_threshold = {};
  options.temperature = {2, 1, 0.5, 0};
  options.logprob_threshold = 0;
  const auto tokens_of = [](const data::Example& pass) {
    const auto tokens = pass.tensor("generated_tokens").as<int32_t>();
    return std::vector<int32_t>(tokens.begin() + 3, tokens.end());  // without the prompt
  };
  const auto logprob = [&](const data::Example& pass) {
    const std::vector<int32_t> text = tokens_of(pass);
    const auto size = std::min<std::ptrdiff_t>(std::ranges::find(text, 256) - text.begin() + 1, std::ssize(text));
    return pass.tensor("speech_logprobs").as<float>()[0] / static_cast<double>(size);
  };
  const Heard all = heard(run, options);
  ASSERT_EQ(all.passes.size(), 4U);
  std::vector<double> logprobs;
  for (const data::Example& pass : all.passes) logprobs.push_back(logprob(pass));
  const double highest = std::ranges::max(logprobs);
  options.logprob_threshold = highest - 1e-6;
  const Heard best = heard(run, options);
  const auto wanted = static_cast<size_t>(std::ranges::find(logprobs, highest) - logprobs.begin());
  ASSERT_EQ(best.passes.size(), wanted + 1);
  EXPECT_EQ(tokens_of(best.passes.back()), tokens_of(all.passes[wanted]));
}

// A text begins with a time, but the file suppresses all times.
TEST_F(SpeechAttemptsOfTask, HaveFiniteScoresWithoutAnAllowedToken) {
  SpeechSeq2SeqOptions options = options_of(runs_["short"]);
  options.temperature = {0.2};
  options.logprob_threshold = {};
  for (const double top_p : {1.0, 0.9}) {
    json settings = json::parse(text_of(folder_ / "generation_config.json"));
    settings["top_p"] = top_p;
    write_text(folder_ / "generation_config.json", settings.dump());
    const float logprob = heard(runs_["short"], options).passes.at(0).tensor("speech_logprobs").as<float>()[0];
    EXPECT_TRUE(logprob <= 0 && logprob > -1000) << logprob;
  }
}

TEST_F(SpeechAttemptsOfTask, RefuseSettingsWithoutEffect) {
  const auto refusal = [&](SpeechSeq2SeqOptions options) {
    options.language = "en";
    return message_of<UsageError>([&] { task(std::move(options)); });
  };
  EXPECT_THAT(refusal({.temperature = {0, -1}}), HasSubstr("numbers from 0"));
  EXPECT_THAT(refusal({.temperature = {0, 0.5}}), HasSubstr("logprob_threshold beside several"));
  EXPECT_THAT(refusal({.logprob_threshold = -1}), HasSubstr("several temperatures"));
  EXPECT_THAT(refusal({.compression_ratio_threshold = 2}), HasSubstr("several temperatures"));
  EXPECT_THAT(refusal({.no_speech_threshold = 0.6}), HasSubstr("without logprob_threshold"));
  EXPECT_THAT(refusal({.condition_on_prev_tokens = true}), HasSubstr("without return_timestamps"));
  EXPECT_THAT(refusal({.return_timestamps = true, .prompt = "Two", .prompt_condition_type = kAllSegments}),
              HasSubstr("condition_on_prev_tokens and prompt"));
  SpeechSeq2SeqOptions without_room{.return_timestamps = true, .prompt = "Two four"};
  without_room.condition_on_prev_tokens = true;
  without_room.prompt_condition_type = kAllSegments;
  EXPECT_THAT(refusal(without_room), HasSubstr("24 tokens, with those of language and task and of earlier texts"));
  json settings = json::parse(text_of(folder_ / "generation_config.json"));
  settings.erase("no_timestamps_token_id");
  write_text(folder_ / "generation_config.json", settings.dump());
  EXPECT_THAT(refusal({.logprob_threshold = -1, .no_speech_threshold = 0.6}), HasSubstr("no_timestamps_token_id"));
}

TEST_F(SpeechAttemptsOfTask, EvaluationsHaveNoEarlierTexts) {
  SpeechSeq2SeqOptions options{.language = "en"};
  options.predict_with_generate = true;
  options.return_timestamps = true;
  options.prompt = "Two";
  options.condition_on_prev_tokens = true;
  const auto t = task(options);
  EXPECT_FALSE(batch(*t).has("previous_speech"));
  EXPECT_TRUE(batch(*t, kWithoutLabels).has("previous_speech"));
}

TEST_F(SpeechSeq2SeqTask, RefusesLongRecordingsWithoutTimes) {
  write_text(folder_ / "talk.wav", test::joined_wav_files(folder_.path(), {"long.wav", "short.wav"}));
  const auto first = [&](const RowTask& t, RowTask::Labels labels) {
    return t.batches(data::from_examples({row("talk.wav", "a")}), 1, labels).iterate().next();
  };
  EXPECT_THAT(message_of<DataError>([&] { first(*english(), kWithoutLabels); }), HasSubstr("return_timestamps"));
  const auto t = task({.language = "en", .max_target_length = 20, .return_timestamps = true});
  EXPECT_THAT(message_of<DataError>([&] { first(*t, kWithLabels); }), HasSubstr("at most 1 seconds"));
  const auto limited = task({.language = "en", .max_duration_seconds = 1.1, .return_timestamps = true});
  EXPECT_THAT(message_of<DataError>([&] { first(*limited, kWithoutLabels); }), HasSubstr("max_duration_seconds"));
}

TEST_F(SpeechSeq2SeqTask, CutsLongTextsBeforeTheirEnd) {
  const auto t = task({.language = "en", .max_target_length = 6});
  EXPECT_EQ(t->cut_texts(row("short.wav", "abc")), 1);
  EXPECT_EQ(t->cut_texts(row("short.wav", "ab")), 0);
  const auto rows = data::from_examples({row("short.wav", "abc")});
  const auto labels = label_rows(*t->batches(rows, 1).iterate().next()).front();
  EXPECT_THAT(labels, ElementsAre(258, 261, 265, 64, 65, 256));  // <|en|><|transcribe|><|notimestamps|>ab<|endoftext|>
}

TEST_F(SpeechSeq2SeqTask, MasksSpectrogramsInTrainingOnly) {
  json config = json::parse(text_of(folder_ / "config.json"));
  config.update({{"apply_spec_augment", true}, {"mask_time_prob", 0.3}, {"mask_time_length", 4}});
  write_text(folder_ / "config.json", config.dump());
  const auto t = english();
  const auto rows = data::from_examples({row("short.wav", "a")});
  const auto zeros = [](const data::Example& b) {
    return std::ranges::count(b.tensor("input_features").as<float>(), 0.0f);
  };
  EXPECT_EQ(zeros(*t->batches(rows, 1).iterate().next()), 0);
  EXPECT_GE(zeros(*t->training_batches(rows, 1, {.buffer = 1, .seed = 1}).iterate().next()), 10 * 4);
}

TEST_F(SpeechSeq2SeqTask, SavesLanguageAndTaskForGenerate) {
  const TemporaryFolder saved;
  task({.language = "Chinese", .generation_task = "translate"})->save(saved.path());
  const json settings = json::parse(text_of(saved / "generation_config.json"));
  EXPECT_EQ(settings["language"], "Chinese");
  EXPECT_EQ(settings["task"], "translate");
  EXPECT_EQ(settings["lang_to_id"]["<|zh|>"], 259);
  for (const char* file : {"config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json"}) {
    EXPECT_TRUE(fs::exists(saved / file)) << file;
  }
}

TEST_F(SpeechSeq2SeqTask, ReadsTheProcessorOfTransformers5) {
  const std::string extractor = text_of(folder_ / "preprocessor_config.json");
  const data::Example wanted = batch(*english());
  fs::remove(folder_ / "preprocessor_config.json");
  write_text(folder_ / "processor_config.json",
             R"({"processor_class": "WhisperProcessor", "feature_extractor": )" + extractor + "}");
  EXPECT_EQ(to_floats(batch(*english()).tensor("input_features").view()),
            to_floats(wanted.tensor("input_features").view()));
}

TEST_F(SpeechSeq2SeqTask, NamesFaultsOfOptionsAndFolders) {
  const auto refusal = [&](SpeechSeq2SeqOptions options) {
    return message_of<Error>([&] { task(std::move(options)); });
  };
  EXPECT_THAT(refusal({.language = "hi"}), HasSubstr("lang_to_id"));
  EXPECT_THAT(refusal({.language = "en", .max_target_length = 25}), HasSubstr("max_target_length"));
  EXPECT_THAT(refusal({.language = "en", .metrics = {"wier"}}), HasSubstr("wer"));
  EXPECT_THAT(refusal({.language = "en", .max_duration_seconds = 3}), HasSubstr("chunk_length"));
  write_text(folder_ / "preprocessor_config.json", R"({"feature_size": 80, "chunk_length": 1})");
  EXPECT_THAT(refusal({.language = "en"}), HasSubstr("feature_size 10"));
}

}  // namespace
}  // namespace portatune
