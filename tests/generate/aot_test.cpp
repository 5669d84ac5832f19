// Checks that the programs of generation compile for TPU and CUDA, without such a device.
#include "runtime/pjrt/aot.h"

#include <gtest/gtest.h>

#include "portatune/generate/programs.h"
#include "portatune/io/text/json.h"

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

INSTANTIATE_TEST_SUITE_P(Searches, GenerationAot,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::ValuesIn(pjrt::kAotTargets)),
                         [](const auto& info) {
                           const testing::TestParamInfo<pjrt::AotTarget> target(std::get<1>(info.param), 0);
                           return std::string(std::get<0>(info.param).name) + pjrt::name_of_target(target);
                         });

}  // namespace
}  // namespace portatune::test
