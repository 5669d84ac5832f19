// Transcription compared with generate() of transformers: tests/data/speech_generation.json, made by
// tests/oracle/tasks/make_speech_generation_cases.py.
#include "portatune/generate/speech/speech_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "generate/ids.h"
#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/generate/generated_tokens.h"
#include "portatune/generate/options.h"
#include "portatune/generate/speech/first_tokens.h"
#include "portatune/generate/speech/languages.h"
#include "portatune/generate/speech/segments.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/io/text/json.h"
#include "portatune/media_models.h"

namespace portatune::generate {
namespace {

using nlohmann::json;

constexpr const char* kWhisper = PORTATUNE_TEST_DATA "/models/whisper_lm";
constexpr int32_t kStart = 58, kPad = 57;

const json& golden() {
  static const json kGolden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/speech_generation.json"));
  return kGolden;
}

io::JsonObject object(const json& value) { return io::JsonObject::parse(value.dump(), "speech_generation.json"); }

SpeechRequest request_of(const json& arguments) {
  return {.language = arguments.value("language", ""),
          .task = arguments.value("task", ""),
          .times = arguments.value("return_timestamps", false)};
}

Tensor recordings() {
  const auto file = io::SafetensorsFile::open(std::string(kWhisper) + "/inputs.safetensors");
  const TensorView view = file.find("input_features").value();
  return Tensor(view.type.shape, std::span<const float>(to_floats(view)));
}

class Transcribed : public testing::TestWithParam<const char*> {
 protected:
  const json& entry() const { return golden()[GetParam()]; }
  SpeechPrompt prompt() const {
    return speech_prompt(object(entry()["settings"]), kStart, request_of(entry()["arguments"]));
  }
  // The options of the file and those of the call. Its max_length does not count the first tokens.
  GenerationOptions options() const {
    json arguments = entry()["arguments"];
    arguments.erase("language");
    arguments.erase("task");
    arguments.erase("return_timestamps");
    GenerationOptions options = read_options(object(arguments), read_options(object(entry()["settings"]), {}));
    if (options.eos_token_id.empty()) options.eos_token_id = {kPad};
    if (request_of(entry()["arguments"]).times) options.times = time_tokens(object(entry()["settings"]), kPad);
    const int64_t room = 20 - std::ssize(prompt().tokens);
    options.max_new_tokens = std::min(options.max_new_tokens.value_or(options.max_length.value_or(20)), room);
    return options;
  }
};

TEST_P(Transcribed, BeginsAsInTransformers) {
  if (!prompt().languages.empty()) GTEST_SKIP() << "the model detects the language";
  for (const json& tokens : entry()["first_tokens"]) EXPECT_EQ(prompt().tokens, tokens.get<Ids>());
}

TEST_P(Transcribed, EqualsTheTokensOfTransformers) {
  const auto folder = hub::ModelFolder::open(kWhisper);
  const auto model = models::speech_model(folder.config());
  nn::Context context({});
  const nn::Scope root(context);
  const Values states = models::speech_encoder(*model).encoder_states(root, constant(recordings()));
  const models::EncodedSource source = models::encoded_speech(states);
  const FirstTokens first = first_tokens(*model, root, source, prompt());
  const Value tokens = generated_tokens(*model, root, source, first, options()).tokens;
  const std::vector<nn::Parameter> weights(context.parameters().begin(), context.parameters().end());
  Values parameters;
  for (const nn::Parameter& weight : weights) parameters.push_back(weight.input);
  const InitialWeights loaded = hub::load_weights(folder, weights, model->facts().base_prefix, 0);
  EXPECT_THAT(loaded.report.missing, testing::IsEmpty());
  EXPECT_THAT(loaded.report.unexpected, testing::IsEmpty());
  for (const Device* device : {&test::decompositions(), &test::kernels()}) {
    const Tensor found = test::evaluate({tokens}, parameters, loaded.values, *device)[0];
    const auto width = static_cast<size_t>(found.shape()[1]);
    const auto wanted = entry()["outputs"].get<std::vector<Ids>>();
    for (size_t row = 0; row < wanted.size(); ++row) {
      const auto text = found.as<int32_t>().subspan(row * width, width);
      Ids expected = entry()["first_tokens"][row].get<Ids>();
      expected.insert(expected.end(), wanted[row].begin(), wanted[row].end());
      if (expected.size() < width) expected.push_back(options().eos_token_id.front());
      expected.resize(width, kPad);
      EXPECT_EQ(Ids(text.begin(), text.end()), expected) << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Transcribed,
                         testing::Values("plain", "one_language", "english", "translation", "settings_of_file",
                                         "suppressed", "beams", "beams_penalty", "early_end", "beams_early_end",
                                         "max_length", "max_new_tokens", "detection", "detection_beams", "times",
                                         "times_initial", "times_beams", "times_detection"),
                         [](const auto& info) { return std::string(info.param); });

TEST(SpeechSegments, EqualTransformers) {
  for (const json& one : golden()["segments"]) {
    SCOPED_TRACE(one.dump());
    const Ids tokens = one["tokens"];
    const std::vector<SpeechSegment> found =
        speech_segments(tokens, {.first = 76, .step = 0.02}, {.begin = 0, .frames = 24});
    ASSERT_EQ(found.size(), one["segments"].size());
    for (size_t i = 0; i < found.size(); ++i) {
      const json& wanted = one["segments"][i];
      Ids text = wanted[2];
      std::erase_if(text, [](int32_t id) { return id >= 76; });
      EXPECT_EQ(found[i].tokens, text);
      EXPECT_NEAR(found[i].start, wanted[0].get<double>(), 1e-6);
      EXPECT_NEAR(found[i].end, wanted[1].get<double>(), 1e-6);
    }
  }
}

TEST(Languages, HaveTheCodesOfTransformers) {
  for (const auto& [name, code] : golden()["languages"].items()) {
    EXPECT_EQ(language_code(name), code) << name;
    EXPECT_EQ(language_code(code.get<std::string>()), code) << code;
  }
  EXPECT_EQ(language_code("Haitian Creole"), "ht");
  EXPECT_EQ(language_code("HI"), "hi");
  EXPECT_EQ(language_codes().size(), 100u);
}

std::string refusal_of(const std::string& settings, const SpeechRequest& request) {
  try {
    speech_prompt(io::JsonObject::parse(settings, "generation_config.json"), kStart, request);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(SpeechPrompt, NamesWhatTheModelLacks) {
  const std::string several =
      R"({"lang_to_id": {"<|en|>": 5}, "task_to_id": {"transcribe": 6}, "no_timestamps_token_id": 9})";
  EXPECT_THAT(refusal_of(several, {.language = "klingon", .task = {}}), testing::HasSubstr("klingon"));
  EXPECT_THAT(refusal_of(several, {.language = "en", .task = "translate"}), testing::HasSubstr("translate"));
  const std::string one = R"({"no_timestamps_token_id": 9})";
  EXPECT_THAT(refusal_of(one, {.language = "en", .task = {}}), testing::HasSubstr("one language"));
  EXPECT_THAT(refusal_of(R"({"lang_to_id": {"<|xx|>": 5}})", {}), testing::HasSubstr("lang_to_id"));
  EXPECT_THROW(time_tokens(io::JsonObject::parse("{}", "generation_config.json"), 5), UsageError);
  EXPECT_THAT(refusal_of(one, {.language = {}, .task = "translate"}), testing::HasSubstr("generation_task"));
  EXPECT_THAT(refusal_of(R"({"forced_decoder_ids": [[1, 5], [2, 6]]})", {}), testing::HasSubstr("forced_decoder_ids"));
}

TEST(Whisper, ReadsRecordingsOfOneSizeAndNoTexts) {
  const auto model = models::speech_model(hub::ModelFolder::open(kWhisper).config());
  nn::Context context({});
  const nn::Scope root(context);
  const models::SpeechEncoder& encoder = models::speech_encoder(*model);
  EXPECT_EQ(encoder.speech_facts().spectrogram.frames, 24);
  EXPECT_EQ(encoder.speech_facts().spectrogram.mel_bins, 10);
  EXPECT_THROW(encoder.encoder_states(root, full({DType::kFloat32, {1, 10, 25}}, 0)), ShapeError);
  const Value ids = full({DType::kInt32, {1, 3}}, 1);
  EXPECT_THROW(model->seq2seq()->encoder_states(root, {.input_ids = ids, .attention_mask = ids}), UsageError);
  EXPECT_THROW(models::text_model(hub::ModelFolder::open(kWhisper).config()), CheckpointError);
  const auto bart = models::text_model(hub::ModelFolder::open(kBart).config());
  EXPECT_THROW(models::speech_encoder(*bart), UsageError);
}

TEST(Whisper, RefusesDroppedLayers) {
  const auto with = [](const char* field) {
    return models::speech_model(io::JsonObject::parse(std::string(R"({"model_type": "whisper", )") + field + "}", "x"));
  };
  EXPECT_THROW(with(R"("encoder_layerdrop": 0.1)"), CheckpointError);
  EXPECT_EQ(with(R"("mask_time_prob": 0.5)")->seq2seq()->facts().max_target, 448);
  EXPECT_FALSE(models::speech_encoder(*with(R"("mask_time_prob": 0.5)")).speech_facts().spec_augment);
  const auto masked = with(R"("apply_spec_augment": true, "mask_time_prob": 0.5)");
  EXPECT_EQ(models::speech_encoder(*masked).speech_facts().spec_augment->time.prob, 0.5);
}

}  // namespace
}  // namespace portatune::generate
