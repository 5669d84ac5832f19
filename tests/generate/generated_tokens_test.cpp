// Comparison with generate() of transformers: tests/data/generated_tokens.json, made by
// tests/oracle/make_generation_cases.py. tests/models/parity_test.cpp compares each architecture.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "portatune/generate/options.h"
#include "portatune/generation.h"
#include "portatune/io/text/json.h"

namespace portatune::generate {
namespace {

using nlohmann::json;
using Ids = std::vector<int32_t>;

std::vector<Ids> ids_of(const std::vector<Completion>& completions) {
  std::vector<Ids> ids;
  for (const Completion& completion : completions) ids.push_back(completion.ids);
  return ids;
}

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

INSTANTIATE_TEST_SUITE_P(Models, GeneratedTokens, testing::Values("gpt2_lm_untied", "bart_lm", "t5_lm"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace portatune::generate
