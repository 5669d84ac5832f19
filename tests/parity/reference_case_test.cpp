#include "portatune/parity/reference_case.h"

#include <gtest/gtest.h>

#include "portatune/error.h"
#include "portatune/parity/reference_task.h"

namespace portatune::parity {
namespace {

const std::filesystem::path kCases = std::filesystem::path(PORTATUNE_TEST_DATA) / "models";

TEST(ReferenceCase, ReadsWhatTransformersStored) {
  const ReferenceCase reference(kCases / "bert_softmax");
  EXPECT_EQ(reference.architecture(), "BertForSequenceClassification");
  EXPECT_EQ(reference.inputs().tensor("input_ids").type(), (TensorType{DType::kInt32, {3, 9}}));
  EXPECT_EQ(reference.recorded("expected", "logits").values.shape(), Shape({3, 3}));
  EXPECT_GT(reference.recorded("expected", "logits").torch_difference, 0);
  EXPECT_TRUE(reference.is_noise("bert.encoder.layer.0.attention.self.key.bias"));
  EXPECT_FALSE(reference.is_noise("classifier.weight"));
  EXPECT_TRUE(reference.names("generate").empty());
}

TEST(ReferenceCase, AFolderWithoutACaseIsNotFound) {
  EXPECT_THROW(ReferenceCase(kCases / "nothing"), NotFoundError);
  EXPECT_THROW(ReferenceCase(std::filesystem::path(PORTATUNE_TEST_DATA) / "tiny_bert"), Error);
}

TEST(ReferenceTask, ComparesAtPositionsOnlyWhatHasThem) {
  const ReferenceCase reference(kCases / "bert_softmax");
  const ReferenceTask task(reference);
  EXPECT_TRUE(task.has_loss());
  EXPECT_TRUE(task.is_per_position("hidden_states.1"));
  EXPECT_FALSE(task.is_per_position("logits"));
}

}  // namespace
}  // namespace portatune::parity
