#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;

// "what was good": the thing that is called good. Where nothing is, there is no answer.
json paragraph(int i) {
  constexpr std::array kThings = {"film", "play", "book", "story", "music"};
  const std::string thing = kThings[static_cast<size_t>(i % 5)];
  const bool answered = i % 4 != 0;
  const std::string before = i % 2 == 0 ? "we saw it and very " : "we saw it ";
  const std::string context = before + (answered ? thing : "actor") + " was it";
  json answers = json::array();
  if (answered) answers.push_back({{"text", thing}, {"answer_start", before.size()}});
  return {{"context", context},
          {"qas", {{{"id", "q" + std::to_string(i)}, {"question", "good"}, {"answers", answers}}}}};
}

std::string squad(int count) {
  json paragraphs = json::array();
  for (int i = 0; i < count; ++i) paragraphs.push_back(paragraph(i));
  return json{{"version", "v2.0"}, {"data", {{{"paragraphs", paragraphs}}}}}.dump();
}

TEST(QuestionAnsweringCommand, LearnsMeasuresAndPredicts) {
  const Toy toy;
  write(toy.file("train.json"), squad(80));
  write(toy.file("dev.json"), squad(18));
  // So short that the context takes several windows.
  const Words task = {"--max-length", "10", "--batch-size", "16", "--version-2-with-negative"};
  const Finished fit = portatune(Words{"fit", "--task", "question-answering", "--model", tiny_bert(), "--train",
                                       toy.file("train.json"), "--validation", toy.file("dev.json"), "--output",
                                       toy.output(), "--epochs", "20", "--learning-rate", "1e-2", "--json"} +
                                 task);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_GT(json::parse(fit.out)["train_examples"], 80);  // windows

  const Words of_model = Words{"--model", toy.output(), "--data", toy.file("dev.json")} + task;
  const Finished evaluate = portatune(Words{"evaluate", "--json"} + of_model);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  const json scores = json::parse(evaluate.out);
  EXPECT_GT(scores["exact_match"], 95) << evaluate.out;
  EXPECT_GT(scores["no_answer_exact_match"], 95) << evaluate.out;

  // Windows of a question come in several batches then, each with those of other questions.
  const Finished bucketed = portatune(Words{"evaluate", "--json", "--padding", "buckets=7,8,9"} + of_model);
  ASSERT_EQ(bucketed.exit_code, 0) << bucketed.err;
  EXPECT_EQ(json::parse(bucketed.out)["exact_match"], scores["exact_match"]) << bucketed.out;
  EXPECT_EQ(json::parse(bucketed.out)["no_answer_exact_match"], scores["no_answer_exact_match"]) << bucketed.out;

  ASSERT_EQ(portatune(Words{"predict", "--output", toy.file("predictions.json")} + of_model).exit_code, 0);
  const json map = json::parse(read(toy.file("predictions.json")));
  EXPECT_EQ(map.size(), 18u);
  EXPECT_EQ(map["q1"], "play");
  EXPECT_EQ(map["q4"], "");
  const Finished lines = portatune(Words{"predict"} + of_model);
  ASSERT_EQ(lines.exit_code, 0) << lines.err;
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 18);
  EXPECT_THAT(lines.out, testing::HasSubstr(R"({"row":1,"id":"q1","prediction_text":"play","score":)"));
  const Finished kept = portatune(Words{"predict", "--keep-columns", "question"} + of_model);
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(json_lines(kept.out).at(17)["id"], "q17");
  EXPECT_EQ(json_lines(kept.out).at(17)["row"], 17);
  EXPECT_EQ(json_lines(kept.out).at(17)["question"], "good");
}

TEST(QuestionAnsweringCommand, BadAnswersAreNamedWithTheirFile) {
  const Toy toy;
  write(toy.file("train.jsonl"), R"({"id": "q7", "question": "good", "context": "the film", )"
                                 R"("answers": {"text": ["play"], "answer_start": [4]}})"
                                 "\n");
  const Finished fit =
      portatune({"fit", "--task", "question-answering", "--model", tiny_bert(), "--train", toy.file("train.jsonl"),
                 "--output", toy.output(), "--max-length", "16", "--epochs", "1"});
  EXPECT_EQ(fit.exit_code, 65);
  EXPECT_THAT(fit.err, testing::HasSubstr("train.jsonl:1"));
  EXPECT_THAT(fit.err, testing::HasSubstr("\"play\" at 4 of question \"q7\""));
}

}  // namespace
}  // namespace portatune::cli
