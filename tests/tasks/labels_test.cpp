#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/json_object.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/text_classification.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

data::Dataset rows_with(const std::vector<std::string>& labels) {
  std::vector<data::Example> rows;
  for (const std::string& label : labels) rows.push_back(sentence("text", label));
  return data::from_examples(std::move(rows));
}

TEST(Labels, IntegersAreInNumericOrder) {
  const LabelScan scan = labels_of(rows_with({"10", "9", "-1", "10", "2"}), "label");
  EXPECT_THAT(scan.labels, ElementsAre("-1", "2", "9", "10"));
  EXPECT_EQ(scan.examples, 5);
}

TEST(Labels, OtherNamesAreInAlphabeticalOrder) {
  EXPECT_THAT(labels_of(rows_with({"no", "10", "maybe", "9"}), "label").labels, ElementsAre("10", "9", "maybe", "no"));
  EXPECT_THAT(labels_of(rows_with({"1.5", "10", "9"}), "label").labels, ElementsAre("1.5", "10", "9"));
}

TEST(Labels, OfAClassifierWithoutNamesAreNumbered) {
  const auto labels = [](const char* config) {
    return tasks::labels_in(io::JsonObject::parse(config, "config.json"));
  };
  EXPECT_THAT(labels(R"({"architectures": ["BertForSequenceClassification"]})"), ElementsAre("LABEL_0", "LABEL_1"));
  EXPECT_THAT(labels(R"({"architectures": ["BertForSequenceClassification"], "num_labels": 3})"),
              ElementsAre("LABEL_0", "LABEL_1", "LABEL_2"));
  EXPECT_THAT(labels(R"({"architectures": ["BertModel"]})"), ElementsAre());
}

TEST(Labels, AreEmptyWithoutRows) {
  const LabelScan scan = labels_of(rows_with({}), "label");
  EXPECT_TRUE(scan.labels.empty());
  EXPECT_EQ(scan.examples, 0);
}

TEST(Labels, ErrorForAnEmptyLabelNamesTheRow) {
  EXPECT_THAT(message_of<DataError>([] {
                labels_of(rows_with({"yes", "no", ""}), "label");
              }),
              AllOf(HasSubstr("example 2"), HasSubstr("empty label"), HasSubstr("\"label\"")));
}

TEST(Labels, CollectSeveralLabelsPerRow) {
  const LabelScan scan = label_sets_of(rows_with({"b, a", "", "[]", R"(["c", "a"])", " a "}), "label", ",");
  EXPECT_THAT(scan.labels, ElementsAre("a", "b", "c"));
  EXPECT_EQ(scan.examples, 5);
  EXPECT_THAT(label_sets_of(rows_with({"10||9", "[2]"}), "label", "||").labels, ElementsAre("2", "9", "10"));
}

TEST(Labels, ErrorForInvalidLabelSetsNamesTheRow) {
  for (const char* cell : {"a,a", "a,,b", "[1, 0, 1]", R"(["a")", R"(["a", 0.5])", R"([["a"]])"}) {
    EXPECT_THAT(message_of<DataError>([&] {
                  label_sets_of(rows_with({"a", cell}), "label", ",");
                }),
                AllOf(HasSubstr("example 1"), HasSubstr("\"label\"")))
        << cell;
  }
}

TEST(Labels, RejectAnEmptySeparator) {
  EXPECT_THAT(message_of<UsageError>([] { label_sets_of(rows_with({"a,b"}), "label", ""); }),
              HasSubstr("label_separator"));
}

TEST(Labels, RejectAMissingColumn) {
  EXPECT_THAT(message_of<DataError>([] { labels_of(rows_with({"yes"}), "class"); }), HasSubstr("class"));
}

TEST(Labels, AreAtMostAThousand) {
  std::vector<std::string> labels;
  for (int i = 0; i < 1000; ++i) labels.push_back("label " + std::to_string(i));
  EXPECT_EQ(labels_of(rows_with(labels), "label").labels.size(), 1000u);
  labels.push_back("one more");
  EXPECT_THAT(message_of<DataError>([&] { labels_of(rows_with(labels), "label"); }),
              AllOf(HasSubstr("example 1000"), HasSubstr("more than 1000"), HasSubstr("\"one more\"")));
}

}  // namespace
}  // namespace portatune::test
