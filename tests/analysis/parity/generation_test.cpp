#include "portatune/analysis/parity/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::parity {
namespace {

namespace fs = std::filesystem;

// A copy of a case, for changes.
class CheckGeneration : public testing::Test {
 protected:
  CheckGeneration() { fs::copy(PORTATUNE_TEST_DATA "/models/gpt2_lm_untied", folder()); }
  fs::path folder() const { return folder_.path() / "case"; }
  std::vector<Comparison> check() const {
    std::vector<Comparison> comparisons;
    check_generation(test::kernels(), ReferenceCase(folder()), comparisons);
    return comparisons;
  }

  // Rewrites the record without the last column of each output.
  void shorten_outputs() const {
    const fs::path path = folder() / "generate.safetensors";
    std::vector<std::pair<std::string, Tensor>> tensors;
    const auto file = io::SafetensorsFile::open(path);
    for (const auto& entry : file.entries()) {
      const TensorView view = file.view(entry);
      tensors.emplace_back(entry.name, Tensor(view.type));
      Tensor& copy = tensors.back().second;
      std::copy_n(view.data, view.type.bytes(), copy.data());
      if (entry.name.ends_with(".output")) copy = without_last_column(copy);
    }
    std::vector<NamedTensorView> views;
    for (const auto& [name, tensor] : tensors) views.push_back({name, tensor.view()});
    io::write_safetensors(folder() / "shorter", views);
    fs::rename(folder() / "shorter", path);
  }

 private:
  static Tensor without_last_column(const Tensor& rows) {
    const auto width = static_cast<size_t>(rows.shape()[1]);
    std::vector<int64_t> kept;
    for (size_t i = 0; i < rows.as<int64_t>().size(); ++i) {
      if (i % width + 1 < width) kept.push_back(rows.as<int64_t>()[i]);
    }
    return Tensor({rows.shape()[0], rows.shape()[1] - 1}, std::span<const int64_t>(kept));
  }

  const TemporaryFolder folder_;
};

TEST_F(CheckGeneration, PassesWhatTransformersRecorded) {
  for (const Comparison& comparison : check()) EXPECT_TRUE(comparison.passed) << comparison.tensor;
}

TEST_F(CheckGeneration, FailsForMoreTokensThanRecorded) {
  shorten_outputs();
  EXPECT_THAT(check(), testing::Contains(testing::Field(&Comparison::passed, false)));
}

TEST_F(CheckGeneration, RejectsUnknownOptionsOfTheCase) {
  std::ofstream(folder() / "generation_config.json") << R"({"eos_token_id": 99, "encoder_no_repeat_ngram_size": 3})";
  EXPECT_THROW(check(), CheckpointError);
}

}  // namespace
}  // namespace portatune::parity
