#include "portatune/tasks/token_classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/metrics.h"
#include "tasks/forward.h"
#include "tasks/sentences.h"

// Ids are those of transformers' BertTokenizer with tests/data/tiny_bert: good 5, bad 9, the 13, film 15, was 18.
namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using Labels = RowTask::Labels;

TokenClassification token_task_with(TokenClassificationOptions options) {
  if (options.labels.empty()) options.labels = {"B", "O"};
  return TokenClassification(kTinyBert, std::move(options));
}

data::Example sentence_of(const std::string& tokens, const std::string& tags) {
  data::Example row;
  return row.set("tokens", tokens).set("ner_tags", tags);
}

TEST(TokenClassification, LabelsTheFirstTokenOfAWord) {
  const TokenClassification task = token_task_with({.max_length = 16});
  const data::Example example = task.encode(sentence_of(R"(["the", "film.", "", "was"])", R"(["O", "B", "B", "O"])"));
  EXPECT_THAT(ints(example, "input_ids"), ElementsAre(2, 13, 15, 61, 18, 3));
  EXPECT_THAT(ints(example, "labels"), ElementsAre(-100, 1, 0, -100, 1, -100));
  EXPECT_THAT(ints(example, "word_ids"), ElementsAre(-1, 0, 1, -1, 3, -1));
  EXPECT_THAT(ints(example, "attention_mask"), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(ints(example, "word_count"), ElementsAre(4));
}

// tests/oracle/tasks/make_token_classification_cases.py has made the features: the label of a word is its index.
TEST(TokenClassification, FeaturesEqualThoseOfTransformers) {
  std::vector<std::string> numbers;
  for (int i = 0; i < 30; ++i) numbers.push_back(std::to_string(i));
  int compared = 0;
  const Json cases = Json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/token_classification.json"));
  for (const Json& row : cases["encodings"]) {
    if (row["tokenizer"] != "tiny_bert" || row["max_length"] != 12) continue;
    const TokenClassification task = token_task_with({.max_length = 12, .labels = numbers});
    Json tags = Json::array();
    for (size_t i = 0; i < row["words"].size(); ++i) tags.push_back(i);
    const data::Example example = task.encode(sentence_of(row["words"].dump(), tags.dump()));
    EXPECT_EQ(Json(ints(example, "input_ids")), row["ids"]);
    EXPECT_EQ(Json(ints(example, "labels")), row["labels"]);
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

TEST(TokenClassification, TagsMayBeIds) {
  const TokenClassification task = token_task_with({.max_length = 8});
  EXPECT_THAT(ints(task.encode(sentence_of(R"(["good", "bad"])", "[1, 0]")), "labels"), ElementsAre(-100, 1, 0, -100));
}

TEST(TokenClassification, PadsWithoutLabelsAndWords) {
  const TokenClassification task = token_task_with({.max_length = 5});
  const auto batch = task.batches(data::from_examples({sentence_of(R"(["good"])", R"(["B"])")}), 2).iterate().next();
  EXPECT_THAT(ints(*batch, "labels"), ElementsAre(-100, 0, -100, -100, -100, -100, -100, -100, -100, -100));
}

TEST(TokenClassification, PredictsRowsWithoutTags) {
  const TokenClassification task = token_task_with({.max_length = 8});
  data::Example row;
  row.set("tokens", std::string(R"(["bad"])"));
  EXPECT_THAT(ints(task.encode(row, Labels::kIgnored), "input_ids"), ElementsAre(2, 9, 3));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row); }), HasSubstr("ner_tags"));
}

TEST(TokenClassification, ErrorNamesABadRow) {
  const TokenClassification task = token_task_with({.max_length = 8});
  const auto message = [&](const char* tokens, const char* tags) {
    return message_of<DataError>([&] { task.encode(sentence_of(tokens, tags)); });
  };
  EXPECT_THAT(message(R"(["a", "b"])", R"(["O"])"), AllOf(HasSubstr("1 tag in"), HasSubstr("2 tokens")));
  EXPECT_THAT(message(R"(["a"])", R"(["X"])"), AllOf(HasSubstr("tag \"X\""), HasSubstr("B, O")));
  EXPECT_THAT(message(R"(["a"])", "[2]"), HasSubstr("tag \"2\""));
  EXPECT_THAT(message(R"(["a"])", "[-1]"), HasSubstr("tag \"-1\""));
  EXPECT_THAT(message("a b", R"(["O"])"), AllOf(HasSubstr("a b"), HasSubstr("tokens")));
  EXPECT_THAT(message(R"(["a", null])", R"(["O", "O"])"), HasSubstr("a list of strings"));
  EXPECT_THAT(message(R"({"a": 1})", R"(["O"])"), HasSubstr("a list of strings"));
  EXPECT_THAT(message(std::string(1000, '[').c_str(), "[]"), HasSubstr("levels"));
}

bool has_added_metrics = false;

class NoMetrics final : public Metrics {
  void update(const data::Example&, const data::Example&) override {}
  Scores result() const override { return {}; }
};
const AddedMetrics kAdded([](const Task&) -> std::unique_ptr<Metrics> {
  return has_added_metrics ? std::make_unique<NoMetrics>() : nullptr;
});

TEST(TokenClassification, ReturnsLogitsForAddedMetricsAlone) {
  const TokenClassification task = token_task_with({.max_length = 8, .labels = {"A", "B", "O"}});
  const auto batch = task.batches(data::from_examples({sentence_of(R"(["good", "bad", "film"])", R"(["B", "O", "A"])"),
                                                       sentence_of(R"(["the", "film"])", R"(["O", "A"])")}),
                                  2)
                         .iterate()
                         .next();
  const data::Example outputs = compute(task, *batch).outputs;
  EXPECT_FALSE(outputs.has("logits"));

  has_added_metrics = true;
  const data::Example all = compute(task, *batch).outputs;
  has_added_metrics = false;
  const auto ids = outputs.tensor("tag_ids").as<int32_t>();
  const std::vector<float> best = metrics::argmax(all.tensor("logits").as<float>(), 3);
  EXPECT_EQ(std::vector<float>(ids.begin(), ids.end()), best);
  EXPECT_EQ(outputs.tensor("highest_logit").as<float>()[0],
            std::ranges::max(all.tensor("logits").as<float>().first(8 * 3)));
}

TEST(TokenClassification, PredictionsMarkUnseenWords) {
  const TokenClassification task = token_task_with({.max_length = 4});
  const auto batch =
      task.batches(data::from_examples({sentence_of(R"(["the", "", "film", "was"])", R"(["O", "O", "O", "O"])")}), 1)
          .iterate()
          .next();
  data::Example outputs;
  outputs.set("tag_ids", Tensor({1, 4}, {1, 0, 1, 0}));
  EXPECT_THAT(task.predictions(*batch, outputs).at(0), ElementsAre("B", std::nullopt, "O", std::nullopt));
  EXPECT_EQ(task.prediction_lines()->take(*batch, outputs), "{\"tags\":[\"B\",null,\"O\",null]}\n");
}

TEST(TokenClassification, KeepsTheCheckpointsLabelsIfItKnowsAll) {
  const TemporaryFolder folder;
  std::filesystem::copy(kTinyBert, folder / "model");
  Json config = Json::parse(std::ifstream(kTinyBert / "config.json"));
  config["id2label"] = {{"0", "O"}, {"1", "B-X"}, {"2", "I-X"}};
  write_text(folder / "model/config.json", config.dump());
  const auto labels = [&](std::vector<std::string> wanted) {
    return TokenClassification(folder / "model", {.max_length = 8, .labels = std::move(wanted)}).labels();
  };
  EXPECT_THAT(labels({}), ElementsAre("O", "B-X", "I-X"));
  EXPECT_THAT(labels({"B-X", "O"}), ElementsAre("O", "B-X", "I-X"));
  EXPECT_THAT(labels({"0", "1", "2"}), ElementsAre("O", "B-X", "I-X"));
  EXPECT_THAT(labels({"B-Y", "O"}), ElementsAre("B-Y", "O"));
}

TEST(TokenClassification, RejectsAModelWithoutLabels) {
  EXPECT_THAT(message_of<UsageError>([] { TokenClassification(kTinyBert, {.max_length = 8}); }), HasSubstr("id2label"));
}

TEST(TagsOf, AreSortedNamesOrAllNumbers) {
  const auto tags = [](std::vector<std::string> lists) {
    std::vector<data::Example> rows;
    for (const std::string& list : lists) rows.push_back(sentence_of("[]", list));
    return tags_of(data::from_examples(rows), "ner_tags");
  };
  EXPECT_THAT(tags({R"(["O", "B-PER"])", R"(["I-PER", "O"])"}), ElementsAre("B-PER", "I-PER", "O"));
  EXPECT_THAT(tags({"[0, 3]", "[1]"}), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(message_of<DataError>([&] { tags({"[123456789]"}); }), HasSubstr("at most 1000"));
  EXPECT_THAT(message_of<DataError>([&] { tags({"[0, -100]"}); }), HasSubstr("not negative"));
}

}  // namespace
}  // namespace portatune::test
