// Adapters of PEFT: outputs, gradients and optimizer steps against torch, for every folder of tests/data/adapters.
// tests/oracle/models/make_adapter_cases.py writes them.
#include <gtest/gtest.h>

#include <set>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "models/cases.h"
#include "portatune/analysis/parity/parity.h"
#include "portatune/hub/adapters/merge_adapter.h"

namespace portatune::test {
namespace {

class AdapterParity : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_equal(const parity::ReferenceCase& reference, const Device& device, DType dtype) {
    const parity::ParityResult result = check_parity(device, reference, dtype);
    for (const parity::Comparison& c : result.comparisons) {
      EXPECT_TRUE(c.passed) << c.kind << " " << c.tensor << ": largest error " << c.max_abs_error << ", allowed "
                            << c.allowed;
      compared_.insert(c.tensor);
    }
  }

  const parity::ReferenceCase reference_{case_folder(GetParam(), "adapters")};
  std::multiset<std::string> compared_;
};

TEST_P(AdapterParity, WithKernels) {
  expect_equal(reference_, kernels(), DType::kFloat32);
  for (const NamedTensorView& tensor : hub::read_adapter(reference_.path()).tensors) {
    EXPECT_EQ(compared_.count(tensor.name), 2) << tensor.name << ": gradient and weight after five steps";
  }
}

// The merged model, without the adapter and its base model, has peft's outputs.
TEST_P(AdapterParity, Merged) {
  const TemporaryFolder folder;
  const std::filesystem::path merged = folder / "merged";
  EXPECT_EQ(hub::merge_adapter(reference_.path(), merged), reference_.model().lora()->target_modules.size());
  for (const char* file : {"inputs.safetensors", "expected.safetensors", "case.json"}) {
    std::filesystem::copy(reference_.path() / file, merged / file);
  }
  const parity::ReferenceCase plain(merged);
  EXPECT_FALSE(plain.model().lora());
  expect_equal(plain, kernels(), DType::kFloat32);
}

class SampledAdapterParity : public AdapterParity {};

TEST_P(SampledAdapterParity, WithDecompositions) { expect_equal(reference_, decompositions(), DType::kFloat32); }

TEST_P(SampledAdapterParity, InBfloat16) { expect_equal(reference_, kernels(), DType::kBFloat16); }

// Every kind of adapter, and an architecture of each kind; all cases in `make test-all`.
std::vector<std::string> sampled_adapters() {
  if (wants_all_cases()) return case_names("adapters");
  return {"bert",           "bert_all", "bert_biases", "bert_dora", "bert_mlm", "bert_patterns",
          "bigbirdpegasus", "gpt2",     "t5",          "vit",       "wav2vec2", "whisper"};
}

INSTANTIATE_TEST_SUITE_P(Adapters, AdapterParity, ::testing::ValuesIn(case_names("adapters")),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Adapters, SampledAdapterParity, ::testing::ValuesIn(sampled_adapters()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
