// The tasks of BertForNextSentencePrediction and ElectraForPreTraining.
#include <gmock/gmock.h>

#include <cmath>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/next_sentence_prediction.h"
#include "portatune/tasks/replaced_token_detection.h"
#include "portatune/tasks/task_spec.h"
#include "tasks/forward.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Pair;
using Json = nlohmann::json;
using Labels = RowTask::Labels;

// The cases of tests/oracle/tasks/make_pretraining_task_cases.py.
Json golden() { return Json::parse(text_of(PORTATUNE_TEST_DATA "/tasks/pretraining_tasks.json")); }

data::Example row_of_json(const Json& fields) {
  data::Example row;
  for (const auto& [name, value] : fields.items()) {
    row.set(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return row;
}

// The config.json that a task saves.
Json saved_config(const RowTask& task, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  task.save(folder);
  return Json::parse(text_of(folder / "config.json"));
}

// All rows in one batch.
data::Example batch_of_rows(const RowTask& task, const Json& rows, Labels labels = Labels::kRequired) {
  std::vector<data::Example> examples;
  for (const Json& row : rows) examples.push_back(row_of_json(row));
  return *task.batches(data::from_examples(examples), std::ssize(examples), labels).iterate().next();
}

std::unique_ptr<RowTask> made_by(const TaskSpec& spec, const std::filesystem::path& folder, TaskOptions options,
                                 Classes classes = Classes::kAssumed) {
  return spec.make({.model = folder, .classes = classes}, options);
}

std::unique_ptr<RowTask> next_sentences(const std::filesystem::path& folder, const Json& settings) {
  TaskOptions options;
  options.of<NextSentencePredictionOptions>().max_length = settings["max_length"];
  return made_by(next_sentence_prediction_spec(), folder, options);
}

TEST(NextSentencePrediction, HasTheLogitsAndTheLossOfTransformers) {
  const Json cases = golden(), wanted = cases["next_sentences"];
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "bert_nsp");
  const auto task = next_sentences(folder / "model", cases);
  const Computed computed = compute(*task, batch_of_rows(*task, wanted["rows"]));
  EXPECT_NEAR(computed.loss_sum / computed.weight_sum, wanted["loss"].get<double>(), 1e-5);
  for (size_t row = 0; row < wanted["rows"].size(); ++row) {
    for (size_t label = 0; label < 2; ++label) {
      EXPECT_NEAR(computed.outputs.tensor("logits").as<float>()[2 * row + label],
                  wanted["logits"][row][label].get<double>(), 1e-5);
    }
  }
}

TEST(NextSentencePrediction, SavesTheClassOfTransformers) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "bert_softmax");
  const Json config = saved_config(*next_sentences(folder / "model", golden()), folder / "saved");
  EXPECT_EQ(config["architectures"], Json({"BertForNextSentencePrediction"}));
  EXPECT_EQ(config["id2label"], Json({{"0", "0"}, {"1", "1"}}));
}

TEST(NextSentencePrediction, RefusesOtherModelsAndOtherNumbersOfLabels) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "electra", "electra_softmax");
  write_case_with_tokenizer(folder / "bert", "bert_nsp");
  EXPECT_THAT(message_of<UsageError>([&] { next_sentences(folder / "electra", golden()); }),
              AllOf(HasSubstr("an Electra checkpoint"), HasSubstr("text-classification")));
  TaskOptions three;
  three.of<NextSentencePredictionOptions>().max_length = 8;
  three.of<NextSentencePredictionOptions>().labels = {"a", "b", "c"};
  EXPECT_THAT(message_of<UsageError>([&] { made_by(next_sentence_prediction_spec(), folder / "bert", three); }),
              AllOf(HasSubstr("a, b, c"), HasSubstr("two labels")));
}

TEST(ReplacedTokenDetection, HasTheLabelsLogitsAndLossOfTransformers) {
  const Json cases = golden(), wanted = cases["replaced_tokens"];
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "electra_pretraining");
  const auto task = replaced_token_detection(folder / "model", {.max_length = cases["max_length"]});
  const data::Example batch = batch_of_rows(*task, wanted["rows"]);
  const Computed computed = compute(*task, batch);
  EXPECT_NEAR(computed.loss_sum / computed.weight_sum, wanted["loss"].get<double>(), 1e-5);
  const size_t length = cases["max_length"];
  for (size_t row = 0; row < wanted["rows"].size(); ++row) {
    for (size_t i = 0; i < length; ++i) {
      ASSERT_EQ(batch.tensor("input_ids").as<int32_t>()[row * length + i], wanted["input_ids"][row][i]);
      if (wanted["attention_mask"][row][i] == 0) continue;
      EXPECT_EQ(batch.tensor("labels").as<int32_t>()[row * length + i], wanted["labels"][row][i]);
      EXPECT_NEAR(computed.outputs.tensor("logits").as<float>()[row * length + i],
                  wanted["logits"][row][i].get<double>(), 1e-5);
    }
  }
}

TEST(ReplacedTokenDetection, ScoresTokensAndPredictsWords) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "electra_pretraining");
  const auto task = replaced_token_detection(folder / "model", {.max_length = 6});
  // [CLS] film - play was [SEP]; the last word is beyond the length.
  const data::Example batch =
      batch_of_rows(*task, Json::array({{{"tokens", {"film-play", "was", "good"}}, {"replaced", {1, 0, 1}}}}));
  data::Example outputs;
  outputs.set("logits", Tensor({1, 6}, {-1.F, -2.F, 1.F, -3.F, -0.5F, -4.F}));
  EXPECT_EQ(task->prediction_lines()->take(batch, outputs),
            "{\"replaced\":[1,0,null],\"scores\":[0.7310586,0.37754068,null]}\n");
  const auto metrics = task->metrics();
  metrics->update(batch, outputs);
  // Of three replaced tokens one is found; the three other tokens are right.
  EXPECT_THAT(metrics->result(), ::testing::Contains(Pair("accuracy", ::testing::DoubleNear(4.0 / 6, 1e-9))));
  EXPECT_THAT(metrics->result(), ::testing::Contains(Pair("f1", ::testing::DoubleNear(0.5, 1e-9))));
}

TEST(ReplacedTokenDetection, SavesTheClassOfTransformers) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "electra_softmax");
  const Json config = saved_config(*replaced_token_detection(folder / "model", {.max_length = 8}), folder / "saved");
  EXPECT_EQ(config["architectures"], Json({"ElectraForPreTraining"}));
}

TEST(ReplacedTokenDetection, ErrorNamesAnInvalidRow) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "model", "electra_pretraining");
  const auto task = replaced_token_detection(folder / "model", {.max_length = 8});
  const auto complaint = [&](const Json& row) {
    return message_of<DataError>([&] { batch_of_rows(*task, Json::array({row})); });
  };
  EXPECT_THAT(complaint({{"tokens", {"the", "film"}}, {"replaced", {1}}}),
              AllOf(HasSubstr("column \"replaced\""), HasSubstr("0 or 1 for each of the 2 words")));
  EXPECT_THAT(complaint({{"tokens", {"the"}}, {"replaced", {2}}}), HasSubstr("0 or 1"));
}

}  // namespace
}  // namespace portatune::test
