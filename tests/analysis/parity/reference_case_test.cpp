#include "portatune/analysis/parity/reference_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/analysis/parity/parity.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::parity {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::filesystem::path kCases = std::filesystem::path(PORTATUNE_TEST_DATA) / "models";

// A copy of a stored case, for changes.
class ChangedCase {
 public:
  explicit ChangedCase(const std::string& name) { std::filesystem::copy(kCases / name, path()); }

  std::filesystem::path path() const { return folder_.path() / "case"; }

  void remove(const std::string& file) const { std::filesystem::remove(path() / (file + ".safetensors")); }

  // Replaces the tensor of the same name.
  void set(const std::string& file, const std::string& name, const Tensor& tensor) const {
    const std::filesystem::path target = path() / (file + ".safetensors"), copy = folder_.path() / "copy";
    std::filesystem::rename(target, copy);
    const io::SafetensorsFile old = io::SafetensorsFile::open(copy);
    std::vector<NamedTensorView> tensors = {{name, tensor.view()}};
    for (const io::SafetensorsEntry& entry : old.entries()) {
      if (entry.name != name) tensors.push_back({entry.name, old.view(entry)});
    }
    io::write_safetensors(target, tensors);
  }

  void set_architecture(const std::string& name) const {
    std::ofstream(path() / "case.json") << "{\"architecture\": \"" << name << "\"}";
  }

  ParityResult check() const { return check_parity(test::decompositions(), ReferenceCase(path()), DType::kFloat32); }

  // The message of the error that check() throws.
  std::string refusal() const {
    try {
      check();
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "no CheckpointError";
  }

 private:
  TemporaryFolder folder_;
};

TEST(ReferenceCase, ReadsResultsOfTransformers) {
  const ReferenceCase reference(kCases / "bert_softmax");
  EXPECT_EQ(reference.architecture(), "BertForSequenceClassification");
  EXPECT_EQ(reference.inputs().tensor("input_ids").type(), (TensorType{DType::kInt32, {3, 9}}));
  EXPECT_EQ(reference.recorded("expected", "logits").values.shape(), Shape({3, 3}));
  EXPECT_GT(reference.recorded("expected", "logits").torch_difference, 0);
  EXPECT_TRUE(reference.is_noise("bert.encoder.layer.0.attention.self.key.bias"));
  EXPECT_FALSE(reference.is_noise("classifier.weight"));
  EXPECT_TRUE(reference.names("generate").empty());
}

TEST(ReferenceCase, FolderWithoutACaseIsNotFound) {
  EXPECT_THROW(ReferenceCase(kCases / "nothing"), NotFoundError);
  EXPECT_THROW(ReferenceCase(std::filesystem::path(PORTATUNE_TEST_DATA) / "tiny_bert"), Error);
}

TEST(ReferenceCase, AcceptsIdsOf32BitsAndALossWithAnAxis) {
  const ChangedCase changed("bert_regression");
  const ReferenceCase original(kCases / "bert_regression");
  for (const char* name : {"input_ids", "attention_mask"}) changed.set("inputs", name, original.inputs().tensor(name));
  const float loss = original.recorded("expected", "loss").values.as<float>()[0];
  changed.set("expected", "loss", Tensor({1}, {loss}));
  const ParityResult result = changed.check();
  EXPECT_TRUE(result.passed());
  EXPECT_TRUE(std::ranges::any_of(result.comparisons, [](const Comparison& c) { return c.tensor == "loss"; }));
}

TEST(ReferenceCase, ErrorsNameTheTensorAndItsFile) {
  const auto refusal = [](const std::string& file, const std::string& name, const Tensor& tensor) {
    const ChangedCase changed("bert_regression");
    changed.set(file, name, tensor);
    return changed.refusal();
  };
  const Tensor number({}, {1.0f}), bytes(TensorType{DType::kUInt8, {3}});
  EXPECT_THAT(refusal("inputs", "token_type_ids", bytes),
              AllOf(HasSubstr("/case/inputs.safetensors, tensor token_type_ids\n"), HasSubstr("uint8[3]")));
  EXPECT_THAT(refusal("inputs", "attention_mask", Tensor(TensorType{DType::kInt32, {3, 5}})),
              AllOf(HasSubstr("/case/inputs.safetensors\n"), HasSubstr("attention_mask int32[3, 5]")));
  EXPECT_THAT(refusal("expected", "logits", bytes), HasSubstr("/case/expected.safetensors, tensor logits\n"));
  EXPECT_THAT(refusal("expected", "logits", Tensor(TensorType{DType::kFloat32, {5, 1}})),
              AllOf(HasSubstr("/case/expected.safetensors, tensor logits\n"), HasSubstr("[5, 1]")));
  EXPECT_THAT(refusal("expected", "scores", number), HasSubstr("/case/expected.safetensors, tensor scores\n"));
  EXPECT_THAT(refusal("grads", "head.weight", number), HasSubstr("/case/grads.safetensors, tensor head.weight\n"));
}

TEST(ReferenceCase, RejectsACaseWithoutTensorsToCompare) {
  const ChangedCase changed("bert_regression");
  for (const char* file : {"expected", "grads"}) changed.remove(file);
  EXPECT_THAT(changed.refusal(), AllOf(HasSubstr(changed.path().string()), HasSubstr("no tensor to compare")));
}

TEST(ReferenceTask, RejectsAnUnknownClass) {
  const ChangedCase changed("electra_softmax");
  changed.set_architecture("ElectraForSpeech");
  EXPECT_THAT(changed.refusal(), AllOf(HasSubstr("/case/case.json, architecture"), HasSubstr("\"ElectraForSpeech\"")));
}

TEST(ReferenceTask, KnowsTheClassOfTheLanguageModelByItsName) {
  for (const char* name : {"gpt2_lm", "gemma3_lm"}) {
    const ReferenceCase reference(kCases / name);
    const ReferenceTask task(reference);
    EXPECT_TRUE(task.is_per_position("logits")) << name;
  }
}

TEST(ReferenceTask, KnowsOutputsPerPosition) {
  const ReferenceCase reference(kCases / "bert_softmax");
  const ReferenceTask task(reference);
  EXPECT_TRUE(task.has_loss());
  EXPECT_TRUE(task.is_per_position("hidden_states.1"));
  EXPECT_FALSE(task.is_per_position("logits"));
}

}  // namespace
}  // namespace portatune::parity
