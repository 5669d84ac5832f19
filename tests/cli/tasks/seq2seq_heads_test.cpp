// The heads of encoder-decoder models that classify texts, tokens and spans.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "tasks/toy_seq2seq.h"

namespace portatune::cli {
namespace {

using nlohmann::json;

const Words kVocabulary = {"the", "film", "play", "was", "good", "bad", "what"};

// Tables of all tasks. A text is about a film or a play, which is the class, a name and an answer.
class Seq2SeqHeads : public testing::Test {
 protected:
  Seq2SeqHeads() {
    std::string texts = "text,label\n", tokens;
    json paragraphs = json::array();
    for (int i = 0; i < 64; ++i) {
      const std::string thing = i % 2 == 0 ? "film" : "play", value = i % 3 == 0 ? "good" : "bad";
      const std::string text = "the " + thing + " was " + value;
      texts += text + "," + thing + "\n";
      tokens +=
          json{{"tokens", {"the", thing, "was", value}}, {"ner_tags", {"O", i % 2 == 0 ? "B-F" : "B-P", "O", "O"}}}
              .dump() +
          "\n";
      const json answer = {{"text", thing}, {"answer_start", 4}};
      const json question = {{"id", std::to_string(i)}, {"question", "what"}, {"answers", {answer}}};
      paragraphs.push_back({{"context", text}, {"qas", {question}}});
    }
    write(toy_.file("texts.csv"), texts);
    write(toy_.file("tokens.jsonl"), tokens);
    write(toy_.file("questions.json"), json{{"data", {{{"paragraphs", paragraphs}}}}}.dump());
  }

  // Trains a head; returns the scores and the class of the saved model.
  std::pair<json, std::string> learn(const std::string& model, const std::string& task, const std::string& rows,
                                     const Words& more = {}) const {
    std::filesystem::create_directory(toy_.file(model));
    model == "t5" ? write_toy_t5(toy_.file(model), kVocabulary) : write_toy_bart(toy_.file(model), kVocabulary);
    const Finished fit = portatune(Words{"fit",
                                         "--task",
                                         task,
                                         "--model",
                                         toy_.file(model),
                                         "--from-config",
                                         "--train",
                                         toy_.file(rows),
                                         "--validation",
                                         toy_.file(rows),
                                         "--max-length",
                                         "10",
                                         "--max-steps",
                                         "60",
                                         "--batch-size",
                                         "16",
                                         "--learning-rate",
                                         "1e-2",
                                         "--output",
                                         toy_.output(),
                                         "--overwrite-output-dir",
                                         "--json"} +
                                   more);
    EXPECT_EQ(fit.exit_code, 0) << fit.err;
    if (fit.exit_code != 0) return {};
    const json config = json::parse(read(toy_.output() + "/config.json"));
    return {json::parse(fit.out)["after"], config["architectures"][0]};
  }

  const Toy toy_;
};

TEST_F(Seq2SeqHeads, ClassifyTexts) {
  for (const std::string model : {"bart", "t5"}) {
    const auto [scores, name] = learn(model, "text-classification", "texts.csv");
    EXPECT_EQ(name, model == "t5" ? "T5ForSequenceClassification" : "BartForSequenceClassification");
    EXPECT_EQ(scores["accuracy"], 1) << scores;
  }
}

TEST_F(Seq2SeqHeads, ClassifyTokens) {
  const auto [scores, name] = learn("t5", "token-classification", "tokens.jsonl");
  EXPECT_EQ(name, "T5ForTokenClassification");
  EXPECT_EQ(scores["f1"], 1) << scores;
  EXPECT_EQ(learn("t5", "token-classification", "tokens.jsonl", {"--packing", "none"}).first["f1"], 1);
}

TEST_F(Seq2SeqHeads, AnswerQuestions) {
  for (const std::string model : {"bart", "t5"}) {
    const auto [scores, name] = learn(model, "question-answering", "questions.json");
    EXPECT_EQ(name, model == "t5" ? "T5ForQuestionAnswering" : "BartForQuestionAnswering");
    EXPECT_EQ(scores["exact_match"], 100) << scores;
  }
}

}  // namespace
}  // namespace portatune::cli
