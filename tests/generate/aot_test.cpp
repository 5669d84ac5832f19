// Checks that the programs of generation compile for TPU and CUDA, without such a device.
#include "runtime/pjrt/aot.h"

#include <gtest/gtest.h>

#include "portatune/generate/generated_tokens.h"
#include "portatune/generate/programs.h"
#include "portatune/generate/speech/first_tokens.h"
#include "portatune/io/text/json.h"
#include "portatune/media_models.h"
#include "portatune/ops.h"

namespace portatune::test {
namespace {

using generate::GenerationProgram;
using generate::SearchKind;

struct Case {
  const char* name;
  const char* model;
  SearchKind kind;
  int64_t prompt = 16;  // tokens
};
const Case kCases[] = {
    {"Greedy", "gpt2_lm", {}},
    {"Sampling", "opt_lm", {.penalises = true, .samples = true, .keeps_top_k = true, .keeps_top_p = true}},
    {"Restricted", "gpt2_lm", {.bans_ngrams = true, .restricts = true, .bad_words = 2, .bad_word_size = 4}},
    {"EncoderDecoder", "bart_lm", {.beams = 3, .restricts = true}},
    {"RelativePositions", "t5_lm", {.beams = 3, .restricts = true}},
    {"Blocks", "bigbirdpegasussparse_lm", {.beams = 3, .restricts = true}, 40},
    {"DecoderAlone", "bartdecoder_lm", {}},
    {"Beams", "mistral_lm", {.penalises = true, .beams = 3, .eos_tokens = 2}},
};

class GenerationAot : public ::testing::TestWithParam<std::tuple<Case, pjrt::AotTarget>> {
 protected:
  const Case case_ = std::get<0>(GetParam());
  const pjrt::AotTarget target_ = std::get<1>(GetParam());
};

TEST_P(GenerationAot, Compiles) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(target_);
  const pjrt::Topology topology = pjrt::aot_topology(target_);
  pjrt::CompileOptions options;  // as in models/aot_test.cpp
  if (target_ == pjrt::AotTarget::kCudaH100) options.xla_options["xla_gpu_enable_triton_gemm"] = false;
  const auto folder = std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / case_.model;
  const auto model = models::text_model(io::JsonObject::read(folder / "config.json"));
  const generate::Sizes sizes{.prompts = 2, .prompt = case_.prompt, .length = 32};

  const GenerationProgram prefill = prefill_program(*model, case_.kind, sizes, DType::kBFloat16);
  topology.compile(to_stablehlo(prefill.function, {}), options);
  const GenerationProgram decode = decode_program(*model, case_.kind, sizes, DType::kBFloat16);
  const pjrt::Executable compiled = topology.compile(to_stablehlo(decode.function, {}), options);
  // Texts and cache are updated in place.
  int64_t state = 0;
  for (const Value& result : decode.function.results) state += result.type().bytes();
  EXPECT_GE(compiled.memory_stats().aliased, state);
}

// Loops that are part of a larger program: the texts of an evaluation, and the pixels of a colorizer.
class LoopAot : public ::testing::TestWithParam<pjrt::AotTarget> {
 protected:
  static io::JsonObject config_of(const char* folder) {
    return io::JsonObject::read(std::filesystem::path(PORTATUNE_TEST_DATA) / folder / "config.json");
  }
  void expect_compiles(Values inputs, const Value& result) const {
    for (const nn::Parameter& weight : context_.parameters()) inputs.push_back(weight.input);
    const Function function{.parameters = std::move(inputs), .results = {result}};
    EXPECT_NO_THROW(pjrt::aot_topology(GetParam()).compile(to_stablehlo(function, {})));
  }

  nn::Context context_{{}};
  const nn::Scope root_{context_};
};

TEST_P(LoopAot, TextsOfSourcesCompile) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const auto model = models::text_model(config_of("models/bart_lm"));
  const TensorType type{DType::kInt32, {2, 8}};
  const models::TextInputs source{.input_ids = parameter("ids", type), .attention_mask = parameter("mask", type)};
  const auto texts = generate::generated_tokens(*model, root_, source, {.max_new_tokens = 6, .num_beams = 2});
  expect_compiles({source.input_ids, source.attention_mask}, texts.tokens);
}

// The language of a recording is the most probable one, and the text has times and earlier texts before it.
TEST_P(LoopAot, TextsOfRecordingsCompile) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const auto model = models::speech_model(config_of("models/whisper_lm"));
  const models::SpeechEncoder& encoder = models::speech_encoder(*model);
  const auto [frames, mel_bins] = encoder.speech_facts().spectrogram;
  const Value recordings = parameter("recordings", {DType::kFloat32, {2, mel_bins, frames}});
  const models::EncodedSource source = models::encoded_speech(encoder.encoder_states(root_, recordings));
  const Value previous = parameter("previous", {DType::kInt32, {2, 3}});
  const generate::FirstTokens first =
      generate::first_tokens(*model, root_, source, {.tokens = {58}, .languages = {50, 51}}, {.previous = previous});
  const GenerationOptions options{
      .max_new_tokens = 6, .eos_token_id = {57}, .times = TimeTokens{.first = 40, .end = 57}};
  expect_compiles({recordings, previous}, generate::generated_tokens(*model, root_, source, first, options).tokens);
}

TEST_P(LoopAot, ColorsOfPixelsCompile) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const auto model = models::color_model(config_of("coltran/colorizer"));
  const int64_t side = model->facts().small_side;
  const Value gray = parameter("gray", {DType::kInt32, {2, side, side}});
  const auto most_probable = [](const Value& logits, const Value&) { return argmax(logits, 1); };
  expect_compiles({gray}, dynamic_cast<const models::Colorizer&>(*model).colors(root_, gray, most_probable));
}

INSTANTIATE_TEST_SUITE_P(Aot, LoopAot, ::testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);

INSTANTIATE_TEST_SUITE_P(Searches, GenerationAot,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::ValuesIn(pjrt::kAotTargets)),
                         [](const auto& info) {
                           const testing::TestParamInfo<pjrt::AotTarget> target(std::get<1>(info.param), 0);
                           return std::string(std::get<0>(info.param).name) + pjrt::name_of_target(target);
                         });

}  // namespace
}  // namespace portatune::test
