// Comparison with generate() of transformers: tests/data/generated_tokens.json, made by
// tests/oracle/tasks/make_generation_cases.py. tests/models/parity_test.cpp compares the other architectures.
#include "portatune/generate/generated_tokens.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "generate/ids.h"
#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/generate/options.h"
#include "portatune/generation.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/text/json.h"

namespace portatune::generate {
namespace {

using nlohmann::json;

class GeneratedTokens : public testing::TestWithParam<const char*> {};

TEST_P(GeneratedTokens, EqualThoseOfTransformers) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/generated_tokens.json"))[GetParam()];
  Generator generator(test::kernels(), std::string(PORTATUNE_TEST_DATA "/models/") + GetParam());
  const auto prompts = golden["prompts"].get<std::vector<Ids>>();
  for (const auto& [name, run] : golden["cases"].items()) {
    const auto given = io::JsonObject::parse(run["options"].dump(), name);
    const GenerationOptions options = read_options(given, generator.defaults());
    EXPECT_TRUE(options.unknown.empty()) << name;
    std::vector<Ids> wanted;
    for (const json& texts : run["outputs"]) {
      for (const json& ids : texts) wanted.push_back(ids);
    }
    EXPECT_EQ(ids_of(generator.generate_ids(prompts, options)), wanted) << name;
  }
}

constexpr int32_t kPad = 1;

// Two sources, padded on the right, and a row that only fills the batch.
const std::vector<Ids> kPaddedSources = {{5, 17, 3, 17, 3, 9, 5}, {23}};
const std::vector<int32_t> kIds = {5, 17, 3, 17, 3, 9, 5, 23, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
const std::vector<int32_t> kMask = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

// The rows of generated_tokens() for these sources, without the start token.
std::vector<Ids> tokens_in_a_program(const GenerationOptions& options) {
  const auto folder = hub::ModelFolder::open(kBart);
  const auto model = models::text_model(folder.config());
  nn::Context context({});
  const Shape shape{3, 7};
  const models::TextInputs source{.input_ids = constant(Tensor(shape, std::span(kIds))),
                                  .attention_mask = constant(Tensor(shape, std::span(kMask)))};
  const Value tokens = generated_tokens(*model, nn::Scope(context), source, options).tokens;
  const std::vector<nn::Parameter> weights(context.parameters().begin(), context.parameters().end());
  Values inputs;
  for (const nn::Parameter& weight : weights) inputs.push_back(weight.input);
  const InitialWeights loaded = hub::load_weights(folder, weights, model->facts().base_prefix, 0);
  const Tensor found = test::evaluate({tokens}, inputs, loaded.values, test::kernels())[0];
  std::vector<Ids> rows;
  for (size_t row = 0; row < kPaddedSources.size(); ++row) {
    const auto width = static_cast<size_t>(found.shape()[1]);
    const auto text = found.as<int32_t>().subspan(row * width + 1, width - 1);
    rows.emplace_back(text.begin(), text.end());
  }
  return rows;
}

TEST(GeneratedTokensInAProgram, EqualThoseOfTheGenerator) {
  Generator generator(test::kernels(), kBart);
  for (const int64_t beams : {1, 3}) {
    GenerationOptions options = generator.defaults();
    options.max_new_tokens = 9;
    options.num_beams = beams;
    options.eos_token_id = {48};  // ends some of the texts
    options.forced_eos_token_id = {};
    options.suppress_tokens = {2};
    std::vector<Ids> wanted = ids_of(generator.generate_ids(kPaddedSources, options));
    for (Ids& ids : wanted) ids.resize(9, kPad);
    EXPECT_EQ(tokens_in_a_program(options), wanted) << beams;
  }
}

TEST(GeneratedTokensInAProgram, AreNotSampledAndFitTheDecoder) {
  EXPECT_THROW(tokens_in_a_program({.do_sample = true}), UsageError);
  EXPECT_THROW(tokens_in_a_program({.max_new_tokens = 40}), UsageError);
  EXPECT_THROW(tokens_in_a_program({.max_length = 1}), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Models, GeneratedTokens,
                         testing::Values("gpt2_lm_untied", "bart_lm", "t5_lm", "marian_lm", "marian_two_vocabularies",
                                         "mbart_lm", "pegasus_lm", "mt5_lm"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace portatune::generate
