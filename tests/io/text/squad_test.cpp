#include "portatune/io/text/squad.h"

#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

struct QuestionRow {
  std::string id, text, context;
  std::vector<std::pair<std::string, int64_t>> answers;
  bool operator==(const QuestionRow&) const = default;
};

std::vector<QuestionRow> read_squad(std::string_view text, bool with_answers = true) {
  SquadReader reader(write_file("in.json", text), with_answers);
  std::vector<QuestionRow> rows;
  while (reader.next()) {
    const SquadReader::Question& question = reader.question();
    QuestionRow& row = rows.emplace_back(
        QuestionRow{std::string(question.id), std::string(question.text), std::string(question.context)});
    for (const auto& answer : question.answers) row.answers.emplace_back(answer.text, answer.start);
  }
  return rows;
}

const std::string kNested = R"({"version": "v2.0", "data": [
  {"title": "x", "paragraphs": [
    {"qas": [{"question": "who?", "id": "1", "answers": [{"text": "A", "answer_start": 0}, {"text": "B", "answer_start": 2}]},
             {"question": "why?", "id": "2", "answers": [], "is_impossible": true}],
     "context": "A B"},
    {"context": "\u00e9", "qas": [{"question": "?", "id": "3", "answers": [{"text": "\u00e9", "answer_start": 0}]}]}]},
  {"paragraphs": []}]})";

}  // namespace

TEST(Squad, SkipsWithoutCheckingQuestions) {
  SquadReader reader(write_file("in.json", R"({"data": [{"id": 1, "context": "c"}, {"id": 2, "context": "c"},
                                              {"id": "a", "question": "q", "context": "c"}]})"),
                     false);
  EXPECT_EQ(reader.skip(2), 2);
  EXPECT_EQ(reader.number(), 2);
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(reader.question().id, "a");
  EXPECT_EQ(reader.skip(1), 0);
}

TEST(Squad, NestedQuestionsHaveTheirContext) {
  EXPECT_EQ(read_squad(kNested),
            (std::vector<QuestionRow>{
                {"1", "who?", "A B", {{"A", 0}, {"B", 2}}}, {"2", "why?", "A B", {}}, {"3", "?", "é", {{"é", 0}}}}));
}

TEST(Squad, FlatQuestionsHaveListsOfAnswers) {
  EXPECT_EQ(read_squad(R"({"version": 2.0, "data": [{"id": "1", "question": "q", "context": "c d",
      "answers": {"answer_start": [0, 2], "text": ["c", "d"]}}, {"id": "2", "question": "q", "context": "c",
      "answers": {"answer_start": [], "text": []}}]})"),
            (std::vector<QuestionRow>{{"1", "q", "c d", {{"c", 0}, {"d", 2}}}, {"2", "q", "c", {}}}));
}

TEST(Squad, AnswersAreReadOnlyOnRequest) {
  const std::string text = R"({"data": [{"id": "1", "question": "q", "context": "c"}]})";
  EXPECT_EQ(read_squad(text, false), (std::vector<QuestionRow>{{"1", "q", "c", {}}}));
  expect_error<DataError>([&] { read_squad(text); }, {"in.json, question 1"});
}

class SquadRefuses : public testing::TestWithParam<const char*> {};
TEST_P(SquadRefuses, OtherFiles) {
  expect_error<DataError>([] { read_squad(GetParam()); }, {"in.json", "SQuAD's JSON", ".jsonl"});
}
INSTANTIATE_TEST_SUITE_P(
    Files, SquadRefuses,
    testing::Values(
        "", "x", "[]", "{}", R"({"data": 1})", R"({"data": [1]})", R"({"data": [{"id": "1"}]})",
        R"({"data": [{"context": "c", "question": "q"}]})",
        R"({"data": [{"id": 1, "context": "c", "question": "q", "answers": []}]})",
        R"({"data": [{"id": "1", "context": "c", "question": "q", "answers": {"text": ["c"], "answer_start": []}}]})",
        R"({"data": [{"id": "1", "context": "c", "question": "q", "answers": [{"text": "c"}]}]})",
        R"({"data": [{"paragraphs": [{"context": "c"}]}]})",
        "{\"id\": \"1\", \"context\": \"c\"}\n{\"id\": \"2\", \"context\": \"c\"}\n", "{\"data\": [\"\xFF\"]}"));

TEST(Squad, AMissingFileIsAnErrorAtOnce) { EXPECT_THROW(SquadReader("no/such.json", true), NotFoundError); }

}  // namespace portatune::io
