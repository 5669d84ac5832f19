#include "portatune/tasks/metrics/error_analyzers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "portatune/tasks/metrics/tag_metrics.h"

namespace portatune::tasks {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kAll = 1000;

Json read(const std::string& file) { return Json::parse(std::ifstream(PORTATUNE_TEST_DATA "/" + file)); }

// scikit-learn, torch and seqeval have made the goldens (tests/oracle/tasks/make_error_analysis_cases.py).
Json goldens() { return read("error_analysis.json"); }

std::vector<float> flat(const Json& rows) {
  std::vector<float> numbers;
  for (const std::vector<float> row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
  return numbers;
}

// The rows [begin, end) of a case, and a row of weight 0 that fills the batch up.
struct FilledBatch {
  data::Example batch, outputs;

  FilledBatch(const Json& c, size_t begin, size_t end) {
    const auto with_filler = [&](const char* key) {
      Json rows(c[key].begin() + static_cast<std::ptrdiff_t>(begin), c[key].begin() + static_cast<std::ptrdiff_t>(end));
      rows.push_back(rows[0]);
      return rows;
    };
    const Json logits = with_filler("logits"), labels = with_filler("labels");
    const auto rows = std::ssize(labels);
    const std::vector<float> of_logits = flat(logits);
    outputs.set("logits", Tensor({rows, std::ssize(logits[0])}, std::span<const float>(of_logits)));
    if (labels[0].is_array()) {
      const std::vector<float> numbers = flat(labels);
      batch.set("labels", Tensor({rows, std::ssize(labels[0])}, std::span<const float>(numbers)));
    } else {
      const std::vector<int32_t> ids = labels;
      batch.set("labels", Tensor({rows}, std::span<const int32_t>(ids)));
    }
    std::vector<float> weights = with_filler("weights");
    weights.back() = 0;
    batch.set(data::kExampleWeight, Tensor({rows}, std::span<const float>(weights)));
    std::vector<data::Origin> origins;
    for (size_t row = begin; row < end; ++row) origins.push_back({.file = nullptr, .row = static_cast<int64_t>(row)});
    batch.set_row_origins(std::move(origins));
  }
};

// "0", "1" and so on.
Names names(size_t count) {
  Names result;
  for (size_t i = 0; i < count; ++i) result.push_back(std::to_string(i));
  return result;
}

std::unique_ptr<ErrorAnalyzer> analyzer_of(const Json& c, int64_t max_mistakes) {
  const std::string head = c["head"];
  const size_t logits = c["logits"][0].size();
  if (head == "regression") return number_errors(max_mistakes);
  if (head == "multi_label") return label_errors(names(logits), max_mistakes);
  return class_errors(head == "sigmoid" ? Head::kSigmoid : Head::kSoftmax, names(std::max<size_t>(logits, 2)),
                      max_mistakes);
}

ErrorAnalysis analysis_of(const Json& c, int64_t max_mistakes = kAll) {
  const std::unique_ptr<ErrorAnalyzer> analyzer = analyzer_of(c, max_mistakes);
  const size_t rows = c["labels"].size(), middle = rows / 2;
  for (const auto& [begin, end] : {std::pair(size_t{0}, middle), std::pair(middle, rows)}) {
    const FilledBatch batch(c, begin, end);
    analyzer->update(batch.batch, batch.outputs);
  }
  return analyzer->result();
}

void expect_near(const std::optional<double>& found, const Json& expected) {
  ASSERT_EQ(found.has_value(), !expected.is_null());
  if (found) {
    EXPECT_NEAR(*found, expected.get<double>(), 1e-6);
  }
}

void expect_classes(const std::vector<ErrorAnalysis::Class>& found, const Json& expected) {
  ASSERT_THAT(found, SizeIs(expected.size()));
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, std::to_string(expected[i][0].get<int>()));
    expect_near(found[i].counts.precision(), expected[i][1]);
    expect_near(found[i].counts.recall(), expected[i][2]);
    expect_near(found[i].counts.f1(), expected[i][3]);
    EXPECT_NEAR(found[i].counts.expected, expected[i][4], 1e-6);
  }
}

void expect_confusions(const std::vector<ErrorAnalysis::Confusion>& found, const Json& expected) {
  ASSERT_THAT(found, SizeIs(expected.size()));
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].label, std::to_string(expected[i][0].get<int>()));
    EXPECT_EQ(found[i].prediction, std::to_string(expected[i][1].get<int>()));
    EXPECT_NEAR(found[i].count, expected[i][2], 1e-6);
  }
}

void expect_mistakes(const std::vector<ErrorAnalysis::Mistake>& found, const Json& expected) {
  ASSERT_THAT(found, SizeIs(expected.size()));
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].row.row, expected[i][0]);
    EXPECT_NEAR(found[i].loss, expected[i][1], 1e-6);
    expect_near(found[i].probability, expected[i][2]);
  }
}

TEST(ErrorAnalyzer, OfRowsEqualsScikitLearnAndTorch) {
  const Json expected = goldens()["rows"];
  const Json cases = read("metrics.json")["task_cases"];
  for (const Json& c : cases) {
    const std::string name = c["name"];
    SCOPED_TRACE(name);
    const ErrorAnalysis found = analysis_of(c);
    expect_classes(found.classes, expected[name]["classes"]);
    expect_confusions(found.confusions, expected[name]["confusions"]);
    expect_mistakes(found.mistakes, expected[name]["mistakes"]);
  }
}

TEST(ErrorAnalyzer, KeepsTheMistakesWithTheHighestLosses) {
  const Json c = read("metrics.json")["task_cases"][5];  // twelve classes
  const std::vector<ErrorAnalysis::Mistake> all = analysis_of(c).mistakes, few = analysis_of(c, 3).mistakes;
  ASSERT_GT(all.size(), 3u);
  ASSERT_THAT(few, SizeIs(3));
  for (size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i].row.row, all[i].row.row);
  EXPECT_THAT(analysis_of(c, 0).mistakes, IsEmpty());
}

TEST(ErrorAnalyzer, NamesLabelsAndPredictions) {
  const Json c = {{"head", "multi_label"},
                  {"logits", {{1, -1, 2}, {-1, -1, -1}}},
                  {"labels", {{1, 0, 0}, {0, 1, 1}}},
                  {"weights", {1, 1}}};
  std::vector<std::string> texts;
  for (const ErrorAnalysis::Mistake& mistake : analysis_of(c).mistakes) {
    texts.push_back(mistake.label + " as " + mistake.prediction);
  }
  EXPECT_THAT(texts, ElementsAre("1, 2 as ", "0 as 0, 2"));
}

// One sentence of tags without unlabelled positions.
void add_sentence(ErrorAnalyzer& analyzer, const Names& expected, const Names& predicted, const Names& tags) {
  const auto id_of = [&](const std::string& tag) { return std::ranges::find(tags, tag) - tags.begin(); };
  const auto words = std::ssize(expected);
  std::vector<int32_t> labels, found;
  for (const std::string& tag : expected) labels.push_back(static_cast<int32_t>(id_of(tag)));
  for (const std::string& tag : predicted) found.push_back(static_cast<int32_t>(id_of(tag)));
  data::Example batch, outputs;
  batch.set("labels", Tensor({1, words}, std::span<const int32_t>(labels)));
  batch.set("word_count", Tensor({1}, {static_cast<int32_t>(words)}));
  batch.set(data::kExampleWeight, Tensor({1}, {1.0F}));
  outputs.set(kTagIds, Tensor({1, words}, std::span<const int32_t>(found)));
  analyzer.update(batch, outputs);
}

TEST(ErrorAnalyzer, OfEntitiesEqualsSeqeval) {
  const Json cases = read("tasks/token_classification.json")["metrics"], expected = goldens()["entities"];
  ASSERT_EQ(cases.size(), expected.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    std::set<std::string> found;
    for (const char* key : {"expected", "predicted"}) {
      for (const Json& row : cases[i][key]) found.insert(row.begin(), row.end());
    }
    const Names tags(found.begin(), found.end());
    const std::unique_ptr<ErrorAnalyzer> analyzer = entity_errors(tags);
    for (size_t row = 0; row < cases[i]["expected"].size(); ++row) {
      add_sentence(*analyzer, cases[i]["expected"][row], cases[i]["predicted"][row], tags);
    }
    const ErrorAnalysis analysis = analyzer->result();
    EXPECT_THAT(analysis.classes, SizeIs(expected[i].size())) << cases[i];
    for (const auto& [type, counts] : analysis.classes) {
      const Json& row = expected[i].at(type);
      EXPECT_NEAR(counts.precision().value_or(0), row[0], 1e-12) << type;
      EXPECT_NEAR(counts.recall().value_or(0), row[1], 1e-12) << type;
      EXPECT_NEAR(counts.f1().value_or(0), row[2], 1e-12) << type;
      EXPECT_EQ(counts.expected, row[3]) << type;
    }
  }
}

}  // namespace
}  // namespace portatune::tasks
