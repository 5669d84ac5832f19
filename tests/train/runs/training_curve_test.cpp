// Many steps, compared with torch and transformers: tests/oracle/train/make_training_curve.py has made the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/tasks/language_models.h"
#include "portatune/train.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;

// The tiny Llama with another tokenizer, as its folder has none.
fs::path llama_in(const fs::path& folder) {
  const fs::path data = PORTATUNE_TEST_DATA;
  fs::copy(data / "models/llama_lm", folder);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    fs::copy_file(data / "chat/toy" / name, folder / name);
  }
  return folder;
}

data::Example batch_of(const nlohmann::json& texts) {
  const auto examples = std::ssize(texts), length = std::ssize(texts[0]);
  std::vector<int32_t> ids;
  for (const auto& text : texts) ids.insert(ids.end(), text.begin(), text.end());
  const Tensor tokens({examples, length}, std::span<const int32_t>(ids));
  data::Example batch;
  batch.set("input_ids", tokens).set("labels", tokens);
  const std::vector<int32_t> mask(ids.size(), 1);
  const std::vector<float> weights(texts.size(), 1);
  batch.set("attention_mask", Tensor({examples, length}, std::span<const int32_t>(mask)));
  return batch.set(data::kExampleWeight, Tensor({examples}, std::span<const float>(weights)));
}

class TrainingCurve : public testing::TestWithParam<bool> {};

TEST_P(TrainingCurve, EqualsTorchForTwoHundredSteps) {
  const nlohmann::json curve = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/curves/llama_lm.json"));
  const auto& losses = curve["losses"];
  const TemporaryFolder folder;
  const auto task = causal_lm(llama_in(folder.path() / "model"), {.block_size = 16});
  const Device& device = GetParam() ? kernels() : decompositions();
  Trainer trainer(device, *task,
                  {.learning_rate = 3e-3, .weight_decay = 0.05, .total_steps = static_cast<int64_t>(losses.size())});
  for (size_t step = 0; step < losses.size(); ++step) {
    const StepResult result = trainer.step(batch_of(curve["batches"][step % curve["batches"].size()]));
    const double loss = losses[step], norm = curve["grad_norms"][step];
    // Rounding of float32 grows from step to step; torch's own norm has an error of about 1e-5.
    ASSERT_NEAR(result.loss(), loss, 1e-3 * loss) << "step " << step + 1;
    ASSERT_NEAR(result.grad_norm(), norm, 1e-2 * norm) << "step " << step + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutKernels, TrainingCurve, testing::Bool());

}  // namespace
}  // namespace portatune::test
