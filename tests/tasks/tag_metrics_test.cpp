#include "portatune/tasks/metrics/tag_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "portatune/tasks/metrics/entities.h"

namespace portatune::tasks {
namespace {

using Json = nlohmann::json;
using Tags = std::vector<std::string>;

// Cases that tests/oracle/tasks/make_token_classification_cases.py has made with seqeval.
Json cases() { return Json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/token_classification.json"))["metrics"]; }

Tags tag_names(const Json& example) {
  std::set<std::string> labels;
  for (const char* key : {"expected", "predicted"}) {
    for (const Json& row : example[key]) labels.insert(row.begin(), row.end());
  }
  return {labels.begin(), labels.end()};
}

size_t id_of(const std::string& label, const Tags& labels) {
  return static_cast<size_t>(std::ranges::find(labels, label) - labels.begin());
}

// Two rows of ten words, with an unlabelled position before each word, and the ids of the predictions. The second row
// only fills the batch up.
struct TagBatch {
  data::Example batch, outputs;

  TagBatch(const Tags& expected, const Tags& predicted, const Tags& labels, int32_t word_count) {
    constexpr size_t kLength = 20;
    std::vector<int32_t> ids(2 * kLength, -100), found(2 * kLength);
    for (size_t i = 0; i < expected.size(); ++i) {
      const size_t place = 2 * i + 1;
      ids[place] = static_cast<int32_t>(id_of(expected[i], labels));
      found[place] = static_cast<int32_t>(id_of(predicted[i], labels));
    }
    ids[kLength] = 0;  // must not count
    batch.set("labels", Tensor({2, kLength}, std::span<const int32_t>(ids)));
    batch.set("word_count", Tensor({2}, {word_count, int32_t{7}}));
    batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 0.0f}));
    outputs.set(kTagIds, Tensor({2, kLength}, std::span<const int32_t>(found)));
  }
};

std::map<std::string, double> result_of(const TagMetrics& metrics) {
  const Scores scores = metrics.result();
  return {scores.begin(), scores.end()};
}

TEST(TagMetrics, EqualsSeqeval) {
  for (const Json& example : cases()) {
    const Tags labels = tag_names(example);
    TagMetrics metrics(labels);
    for (size_t row = 0; row < example["expected"].size(); ++row) {
      const Tags expected = example["expected"][row], predicted = example["predicted"][row];
      const TagBatch batch(expected, predicted, labels, static_cast<int32_t>(expected.size()));
      metrics.update(batch.batch, batch.outputs);
    }
    const std::map<std::string, double> scores = result_of(metrics);
    EXPECT_EQ(scores.size(), 4u);
    for (const char* name : {"precision", "recall", "f1", "accuracy"}) {
      EXPECT_NEAR(scores.at(name), example[name].get<double>(), 1e-12) << name << example;
    }
  }
}

TEST(TagMetrics, CountsUnseenWords) {
  TagMetrics metrics({"O", "B"});
  const TagBatch batch({"O", "B"}, {"O", "O"}, {"O", "B"}, 5);
  metrics.update(batch.batch, batch.outputs);
  EXPECT_EQ(result_of(metrics).at("words_left_out"), 3);
  EXPECT_EQ(result_of(metrics).at("accuracy"), 0.5);
}

TEST(Entities, FollowTheTags) {
  EXPECT_THAT(entities_in(Tags{"B-PER", "I-PER", "O", "B-LOC"}),
              testing::ElementsAre(Entity{"PER", 0, 2}, Entity{"LOC", 3, 4}));
  EXPECT_THAT(entities_in(Tags{"I-PER", "I-LOC", "S-LOC", "E-PER"}),
              testing::ElementsAre(Entity{"PER", 0, 1}, Entity{"LOC", 1, 2}, Entity{"LOC", 2, 3}, Entity{"PER", 3, 4}));
  EXPECT_TRUE(entities_in(Tags{"O", "O"}).empty());
}

}  // namespace
}  // namespace portatune::tasks
