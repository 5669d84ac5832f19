#include "portatune/tasks/zero_shot_classification.h"

#include <gmock/gmock.h>

#include "portatune/error.h"
#include "tasks/forward.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;
using Options = ZeroShotClassificationOptions;

std::string zero_shot_error(const Options& options) {
  return message_of<UsageError>([&] { zero_shot_classification(PORTATUNE_TEST_DATA "/tiny_bert", options); });
}

TEST(ZeroShotClassification, EqualsThePipelineOfTransformers) {
  const Json cases = prediction_cases("zero-shot-classification");
  ASSERT_GE(cases.size(), 5u);
  for (const Json& c : cases) {
    const TemporaryFolder folder;
    write_case_with_tokenizer(folder / "model", c["model"], c["config"]);
    const auto task = zero_shot_classification(folder / "model", {.candidate_labels = c["candidate_labels"],
                                                                  .hypothesis_template = c["hypothesis_template"],
                                                                  .multi_label = c["multi_label"]});
    const std::vector<Json> found = predictions(*task, c["texts"]);
    ASSERT_EQ(found.size(), c["results"].size());
    for (size_t row = 0; row < found.size(); ++row) {
      const Json& expected = c["results"][row];
      EXPECT_EQ(found[row]["label"], expected["labels"][0]) << c;
      ASSERT_EQ(found[row]["scores"].size(), expected["labels"].size());
      for (size_t i = 0; i < expected["labels"].size(); ++i) {
        const double score = found[row]["scores"][expected["labels"][i].get<std::string>()];
        EXPECT_NEAR(score, expected["scores"][i].get<double>(), 2e-6) << c;
      }
      EXPECT_EQ(found[row]["score"], found[row]["scores"][found[row]["label"].get<std::string>()]);
    }
  }
}

TEST(ZeroShotClassification, RemarksOnAModelWithoutEntailment) {
  const TemporaryFolder folder;
  std::vector<std::string> remarks;
  const auto open = [&](const std::string& name, const Json& config) {
    write_case_with_tokenizer(folder / name, "bert_softmax", config);
    remarks.clear();
    zero_shot_classification(folder / name, {.candidate_labels = {"a"}},
                             [&](const std::string& remark) { remarks.push_back(remark); });
  };
  open("named", {{"id2label", {{"0", "Entailment"}, {"1", "neutral"}, {"2", "no"}}}});
  EXPECT_THAT(remarks, IsEmpty());
  open("unnamed", {{"id2label", {{"0", "x"}, {"1", "y"}, {"2", "z"}}}});
  EXPECT_THAT(remarks, testing::ElementsAre(AllOf(HasSubstr("'z'"), HasSubstr("x, y, z"))));
}

TEST(ZeroShotClassification, RefusesOptionsWithoutMeaning) {
  EXPECT_THAT(zero_shot_error({}), HasSubstr("--candidate-labels sports,politics"));
  EXPECT_THAT(zero_shot_error({.candidate_labels = {" ", ""}}), HasSubstr("no label"));
  EXPECT_THAT(zero_shot_error({.candidate_labels = {"a", " a "}}), HasSubstr("'a' twice"));
  EXPECT_THAT(zero_shot_error({.candidate_labels = {"a"}, .hypothesis_template = "x"}), HasSubstr("one {}"));
  EXPECT_THAT(zero_shot_error({.candidate_labels = {"a"}, .hypothesis_template = "{} {}"}), HasSubstr("one {}"));
}

TEST(ZeroShotClassification, CutsTheTextAndKeepsTheHypothesis) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "bert_softmax");
  const auto task = zero_shot_classification(
      folder / "model", {.candidate_labels = {"good"}, .hypothesis_template = "it was {}", .max_length = 8});
  const data::Dataset rows = data::from_examples({data::Example().set("text", "the film the film the film")});
  const data::Example batch = *task->batches(rows, 1, RowTask::Labels::kIgnored).iterate().next();
  // [CLS] the film [SEP] it was good [SEP]
  EXPECT_THAT(batch.tensor("input_ids").as<int32_t>(), testing::ElementsAre(2, 13, 15, 3, 20, 18, 5, 3));
}

}  // namespace
}  // namespace portatune::test
