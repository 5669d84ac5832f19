// Packed texts: every model computes, for the texts of a case in one row, the results of transformers with one text per
// row: hidden states, logits, loss, gradients of all weights, weights after optimizer steps.
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "models/packed_model.h"
#include "portatune/analysis/parity/parity.h"
#include "portatune/models/one_text_per_row.h"

namespace portatune::test {
namespace {

// False for cases without texts to pack, and for cases that differ by design.
bool is_packable(const std::string& name, const parity::ReferenceCase& reference) {
  if (!reference.inputs().has("input_ids") || !reference.inputs().has("attention_mask")) return false;
  if (text_lengths(reference.inputs().tensor("attention_mask")).size() < 2) return false;
  // The loss of transformers also depends on padding: see the test of the task.
  if (name.ends_with("_qa")) return false;
  // seq2seq_test.cpp has packed pairs of texts.
  const auto model = models::text_model(reference.model().config());
  if (model->seq2seq() != nullptr || !models::can_be_packed(*model)) return false;
  // Their frequencies depend on the length of the row, which differs from that of a text.
  return name != "llama_dynamic" && name != "llama_longrope";
}

std::vector<std::string> packable_cases() {
  std::vector<std::string> names = case_names();
  std::erase_if(names,
                [](const std::string& name) { return !is_packable(name, parity::ReferenceCase(case_folder(name))); });
  return names;
}

class Packing : public ::testing::TestWithParam<std::string> {};

TEST_P(Packing, MatchesTransformersForEachText) {
  const parity::ReferenceCase reference(case_folder(GetParam()));
  const parity::ReferenceTask task(reference, packed_model(reference));
  std::vector<const Device*> devices = {&kernels()};
  // The other cases have the bodies of the whole ones, and rows are packed for the body.
  if (wants_all_cases() || is_whole(reference)) devices.push_back(&decompositions());
  for (const Device* device : devices) {
    for (const parity::Comparison& c : check_parity(*device, reference, task, DType::kFloat32).comparisons) {
      EXPECT_TRUE(c.passed) << c.kind << " " << c.tensor << ": largest error " << c.max_abs_error << ", allowed "
                            << c.allowed << ", " << c.strays << " elements beyond";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Packing, ::testing::ValuesIn(packable_cases()),
                         [](const auto& info) { return info.param; });

TEST(PackedCases, CoverEveryArchitecture) {
  const std::vector<std::string> names = packable_cases();
  for (const char* architecture :
       {"albert", "bert",  "debertav2", "debertav3", "distilbert", "electra",    "gemma", "gemma2",
        "gemma3", "gpt2",  "gptneox",   "llama",     "mistral",    "modernbert", "mpnet", "opt",
        "phi",    "qwen2", "qwen3",     "roberta",   "smollm3",    "xlmroberta"}) {
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& name) {
      return name.starts_with(std::string(architecture) + "_");
    })) << architecture;
  }
}

}  // namespace
}  // namespace portatune::test
