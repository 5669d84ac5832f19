#include "portatune/tasks/multiple_choice.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using Labels = RowTask::Labels;

data::Example row_of(const Json& fields) {
  data::Example row;
  for (const auto& [name, value] : fields.items()) {
    row.set(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return row;
}

data::Example batch_of(const RowTask& task, const data::Example& row, Labels labels = Labels::kRequired) {
  return *task.batches(data::from_examples({row}), 1, labels).iterate().next();
}

std::vector<int32_t> flattened(const Json& rows) {
  std::vector<int32_t> all;
  for (const Json& row : rows) {
    for (const int32_t id : row) all.push_back(id);
  }
  return all;
}

// Cases of tests/oracle/tasks/make_multiple_choice_cases.py, made with the rule of run_swag.py.
TEST(MultipleChoice, PreparesRowsAsTransformersDoes) {
  const Json golden = Json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/multiple_choice.json"))["cases"];
  ASSERT_EQ(golden.size(), 6u);
  for (const Json& c : golden) {
    const Json& row = c["row"];
    Json fields = {{"sent1", row["sent1"]}, {"sent2", row["sent2"]}, {"label", 3}};
    for (size_t i = 0; i < 4; ++i) fields["ending" + std::to_string(i)] = row["ending"][i];
    const auto task = multiple_choice(kTinyBert, {.max_length = c["max_length"]});
    const data::Example batch = batch_of(*task, row_of(fields));
    EXPECT_EQ(batch.tensor("input_ids").shape(), (Shape{1, 4, c["max_length"]}));
    for (const char* column : {"input_ids", "attention_mask", "token_type_ids"}) {
      EXPECT_THAT(batch.tensor(column).as<int32_t>(), ::testing::ElementsAreArray(flattened(c[column]))) << c;
    }
    EXPECT_THAT(batch.tensor("labels").as<int32_t>(), ElementsAre(3));
    for (const std::string& name : task->inputs()) EXPECT_TRUE(batch.has(name)) << name;
  }
}

TEST(MultipleChoice, ReadsTheGivenColumns) {
  EXPECT_THAT(multiple_choice(kTinyBert, {.max_length = 8})->columns(Labels::kRequired),
              ElementsAre("sent1", "sent2", "ending0", "ending1", "ending2", "ending3", "label"));
  const auto task = multiple_choice(kTinyBert, {.context_column = "q", .endings_column = "c", .max_length = 8});
  EXPECT_THAT(task->columns(Labels::kIgnored), ElementsAre("q", "c"));
  const data::Example batch = batch_of(*task, row_of({{"q", "good"}, {"c", {"film", "book"}}}), Labels::kIgnored);
  // [CLS] good [SEP] film [SEP], without a blank or a header before the ending.
  EXPECT_THAT(batch.tensor("input_ids").as<int32_t>(), ElementsAre(2, 5, 3, 15, 3, 0, 0, 0, 2, 5, 3, 17, 3, 0, 0, 0));
  EXPECT_EQ(task->tokens(batch).real, 10);
}

TEST(MultipleChoice, PadsToTheSmallestLengthThatHoldsAllEndings) {
  const auto task = multiple_choice(kTinyBert, {.context_column = "q", .endings_column = "c", .max_length = 16});
  task->set_lengths({6, 12});
  const Json two = {{"q", "good"}, {"c", {"film", "very good film"}}, {"label", 1}},
             one = {{"q", "good"}, {"c", {"film", "book"}}, {"label", 0}};
  const data::Dataset rows = data::from_examples({row_of(two), row_of(one)});
  EXPECT_EQ(task->length_counts(task->batches(rows, 2)), (data::LengthCounts{{5, 1}, {7, 1}}));
  std::vector<Shape> shapes;
  for (const data::Example& batch : task->batches(rows, 1).iterate())
    shapes.push_back(batch.tensor("input_ids").shape());
  EXPECT_THAT(shapes, ElementsAre(Shape{1, 2, 12}, Shape{1, 2, 6}));
}

TEST(MultipleChoice, ChoosesTheEndingWithTheHighestScore) {
  const auto task = multiple_choice(kTinyBert, {.context_column = "q", .endings_column = "c", .max_length = 8});
  const data::Dataset rows = data::from_examples({row_of({{"q", "a"}, {"c", {"film", "b\"k"}}, {"label", 1}})});
  const data::Example batch = *task->batches(rows, 2).iterate().next();
  data::Example outputs;
  outputs.set("logits", Tensor({2, 2}, {-1.0f, 1.0f, 9.0f, 0.0f}));  // the second row is padding
  EXPECT_EQ(task->prediction_lines()->take(batch, outputs),
            R"({"label":1,"ending":"b\"k","score":0.880797,"scores":[0.11920292,0.880797],"logits":[-1.0,1.0]})"
            "\n");
  const auto metrics = task->metrics();
  EXPECT_TRUE(metrics->result().empty());
  metrics->update(batch, outputs);
  EXPECT_THAT(metrics->result(), ElementsAre(::testing::Pair("accuracy", 1.0)));
}

TEST(MultipleChoice, ErrorNamesAnInvalidRow) {
  const auto task = multiple_choice(kTinyBert, {.context_column = "q", .endings_column = "c", .max_length = 8});
  const auto complaint = [&](const Json& row) { return message_of<DataError>([&] { batch_of(*task, row_of(row)); }); };
  EXPECT_THAT(complaint({{"q", "a"}, {"c", {"x", "y"}}, {"label", 2}}),
              AllOf(HasSubstr("example 0"), HasSubstr("2 in column \"label\""), HasSubstr("0 to 1")));
  EXPECT_THAT(complaint({{"q", "a"}, {"c", {"x", "y"}}, {"label", "-1"}}), HasSubstr("0 to 1"));
  EXPECT_THAT(complaint({{"q", "a"}, {"c", {"x"}}, {"label", 0}}), HasSubstr("at least two"));
  EXPECT_THAT(complaint({{"q", "a"}, {"c", "x"}, {"label", 0}}), HasSubstr("\"c\""));
  EXPECT_THAT(complaint({{"q", "caf\xE9"}, {"c", {"x", "y"}}, {"label", 0}}), HasSubstr("example 0"));
}

}  // namespace
}  // namespace portatune::test
