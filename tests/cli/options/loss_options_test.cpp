// Label smoothing, weights of classes and labels, focal loss. The formulas are tested in
// tests/tasks/class_losses_test.cpp.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Six rows of the class 1 and two of the class 0, in a batch.
class LossChoice : public testing::Test {
 protected:
  LossChoice() {
    std::string rows = "text,label\n";
    for (int i = 0; i < 8; ++i) rows += i < 6 ? "the film was good,1\n" : "the film was bad,0\n";
    write(toy_.file("few.csv"), rows);
  }

  Words fit(const Words& more) const {
    Words words = with_batch_size(toy_.fit(Words{"--max-steps", "2"} + more), "8");
    *std::ranges::find(words, toy_.file("train.csv")) = toy_.file("few.csv");
    return words;
  }
  json result(const Words& more) const { return json::parse(toy_.result_without_dropout(fit(more))); }
  Finished run(const Words& more) const { return portatune(fit(more)); }

  const Toy toy_;
};

TEST_F(LossChoice, WeightsComeFromCountsNumbersOrATable) {
  // scikit-learn: compute_class_weight("balanced", ...) of two and six rows.
  const json wanted = result({"--class-weights", "2,0.6666666666666666"});
  EXPECT_EQ(result({"--class-weights", "balanced"})["after"], wanted["after"]);
  write(toy_.file("weights.csv"), "label,weight\n1,0.6666666666666666\n0,2\n");
  EXPECT_EQ(result({"--class-weights", toy_.file("weights.csv")})["after"], wanted["after"]);
  EXPECT_NE(result({})["after"], wanted["after"]);

  const json positive = result({"--head", "sigmoid", "--positive-weights", "0.3333333333333333"});
  EXPECT_EQ(result({"--head", "sigmoid", "--positive-weights", "balanced"})["after"], positive["after"]);
  EXPECT_NE(result({"--head", "sigmoid"})["after"], positive["after"]);
}

TEST_F(LossChoice, DoesNotChangeTheLossOfEvaluations) {
  const json plain = result({});
  const std::vector<Words> choices = {
      {"--label-smoothing-factor", "0.2"}, {"--focal-gamma", "2"}, {"--class-weights", "balanced"}};
  for (const Words& choice : choices) {
    const json found = result(choice);
    EXPECT_EQ(found["before"], plain["before"]) << choice[0];
    EXPECT_NE(found["train_loss"], plain["train_loss"]) << choice[0];
  }
}

TEST_F(LossChoice, IsKeptByAResume) {
  ASSERT_EQ(run({"--checkpoint-every", "1", "--label-smoothing-factor", "0.2"}).exit_code, 0);
  Words words = fit({"--label-smoothing-factor", "0.1", "--resume-from-checkpoint", toy_.output() + "/checkpoint-1"});
  *std::ranges::find(words, toy_.output()) = toy_.file("other");
  const Finished other = portatune(words);
  EXPECT_EQ(other.exit_code, 2) << other.err;
  EXPECT_THAT(other.err, HasSubstr("label_smoothing_factor"));
}

TEST_F(LossChoice, IsRefusedWhereItHasNoMeaning) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--class-weights", "1,2,3"}, "3 weights for 2"},
      {{"--class-weights", "1,x"}, "'x'"},
      {{"--class-weights", "balanced", "--head", "sigmoid"}, "positive_weights"},
      {{"--class-weights", "balanced", "--head", "regression"}, "regression head"},
      {{"--positive-weights", "balanced"}, "class_weights"},
      {{"--label-smoothing-factor", "0.1", "--head", "sigmoid"}, "softmax head"},
      {{"--focal-gamma", "2", "--head", "regression"}, "regression head"}};
  for (const auto& [words, complaint] : cases) {
    const Finished refused = run(words);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(unwrapped(refused.err), HasSubstr(complaint));
  }
  write(toy_.file("weights.csv"), "label,weight\n1,0.5\n");
  EXPECT_THAT(unwrapped(run({"--class-weights", toy_.file("weights.csv")}).err), HasSubstr("no row for class '0'"));
  EXPECT_EQ(portatune(toy_.fit({"--task", "masked-lm", "--focal-gamma", "2"})).exit_code, 2);
}

TEST_F(LossChoice, SuggestsBalancedForAMisspeltWord) {
  const std::string error = unwrapped(run({"--class-weights", "balancd"}).err);
  EXPECT_THAT(error, HasSubstr("'balancd', which is neither balanced nor a file"));
  EXPECT_THAT(error, HasSubstr("did you mean balanced?"));
}

// Two steps of a task on rows of JSON, with a result of this choice.
class LossOfTask : public testing::Test {
 protected:
  json result(const std::string& task, const std::string& rows, const Words& choice) const {
    write(toy_.file("rows.jsonl"), rows);
    return json::parse(
        toy_.result_without_dropout(Words{"fit", "--task", task, "--model", tiny_bert(), "--train",
                                          toy_.file("rows.jsonl"), "--validation", toy_.file("rows.jsonl"), "--output",
                                          toy_.output(), "--max-length", "8", "--batch-size", "4", "--max-steps", "2"} +
                                    choice));
  }
  // The choice changes the loss of training alone.
  void expect_only_training_to_change(const std::string& task, const std::string& rows, const Words& choice) const {
    SCOPED_TRACE(task + " " + choice[0]);
    const json plain = result(task, rows, {}), found = result(task, rows, choice);
    EXPECT_EQ(found["before"], plain["before"]);
    EXPECT_NE(found["train_loss"], plain["train_loss"]);
  }

  const Toy toy_;
};

constexpr const char* kTagged = R"({"tokens": ["good", "film", "was"], "ner_tags": ["B-A", "O", "O"]}
{"tokens": ["the", "film", "was", "bad"], "ner_tags": ["O", "O", "O", "O"]}
{"tokens": ["the", "book"], "ner_tags": ["O", "B-A"]}
{"tokens": ["the"], "ner_tags": ["O"]}
)";

TEST_F(LossOfTask, IsSmoothedForTagsWordsAndEndings) {
  const Words smooth = {"--label-smoothing-factor", "0.2"};
  expect_only_training_to_change("token-classification", kTagged, smooth);
  expect_only_training_to_change("token-classification", kTagged, {"--focal-gamma", "2"});
  std::string texts, choices;
  for (int i = 0; i < 4; ++i) {
    texts += R"({"text": "the film was good and the book was bad"})"
             "\n";
    choices += R"({"sent1": "the film", "sent2": "was", "ending0": "good", "ending1": "bad", "ending2": "the",)"
               R"( "ending3": "a book", "label": 1})"
               "\n";
  }
  expect_only_training_to_change("masked-lm", texts, smooth);
  expect_only_training_to_change("multiple-choice", choices, smooth);
}

// scikit-learn: compute_class_weight("balanced", ...) of two and eight tags.
TEST_F(LossOfTask, BalancesTags) {
  const auto after = [&](const Words& choice) { return result("token-classification", kTagged, choice)["after"]; };
  EXPECT_EQ(after({"--class-weights", "balanced"}), after({"--class-weights", "2.5,0.625"}));
  EXPECT_NE(after({"--class-weights", "balanced"}), after({}));
}

TEST_F(LossOfTask, IsRefusedWhereTransformersDoesNotSmooth) {
  const Words smooth = {"--label-smoothing-factor", "0.2"};
  const Finished pairs = portatune(toy_.fit(smooth + Words{"--task", "masked-lm", "--next-sentence"}));
  EXPECT_EQ(pairs.exit_code, 2);
  EXPECT_THAT(unwrapped(pairs.err), HasSubstr("0.2 with --next-sentence"));
  const Finished answers = portatune(toy_.fit(smooth + Words{"--task", "question-answering"}));
  EXPECT_EQ(answers.exit_code, 2);
  EXPECT_THAT(answers.err, HasSubstr("label-smoothing-factor"));
}

TEST(SeveralNumbers, AreLearntFromColumns) {
  const Toy toy;
  std::string rows = "text,praise,length\n";
  for (int i = 0; i < 64; ++i) rows += i % 2 == 0 ? "the film was good,1.5,-0.5\n" : "the film was bad,-1,0.5\n";
  write(toy.file("train.csv"), rows);
  const Words files = {"--model",      tiny_bert(),           "--train",  toy.file("train.csv"),
                       "--validation", toy.file("train.csv"), "--output", toy.output()};
  const Words training = {"--epochs", "15", "--learning-rate", "1e-2", "--batch-size", "16", "--max-length", "8"};
  const Words task = {"--head", "regression", "--label-columns", "praise,length", "--metrics", "r2,mse", "--json"};
  const Finished run = portatune(Words{"fit"} + files + training + task);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), HasSubstr("labels -1 to 1.5"));
  const json after = json::parse(run.out)["after"];
  EXPECT_GT(after["r2"], 0.9) << run.out;
  EXPECT_NEAR(after["mse"], after["loss"], 1e-5);
  const json config = json::parse(read(toy.file("tuned/config.json")));
  EXPECT_EQ(config["problem_type"], "regression");
  EXPECT_EQ(config["id2label"], json::parse(R"({"0": "praise", "1": "length"})"));

  const Words data = {"--model", toy.output(), "--data", toy.file("train.csv")};
  const Finished evaluation = portatune(Words{"evaluate", "--json", "--metrics", "mse"} + data);
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_NEAR(json::parse(evaluation.out)["mse"], after["mse"], 1e-6);
  const Finished prediction = portatune(Words{"predict"} + data);
  EXPECT_THAT(prediction.out, testing::StartsWith(R"({"row":0,"scores":{"praise":1.)")) << prediction.err;
}

}  // namespace
}  // namespace portatune::cli
