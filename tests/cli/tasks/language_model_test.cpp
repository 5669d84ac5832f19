// Language models by the real command, on lines of a text file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Sentences that are easy to foretell.
std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += i % 2 == 0 ? "the film was good.\n" : "the book was bad.\n";
  return text;
}

class LanguageModel : public testing::Test {
 protected:
  LanguageModel() {
    write(file("train.txt"), lines(64));
    write(file("validation.txt"), lines(16));
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  Words fit(const std::string& task, const std::string& model, const Words& more) const {
    return Words{"fit",
                 "--task",
                 task,
                 "--model",
                 model,
                 "--train",
                 file("train.txt"),
                 "--validation",
                 file("validation.txt"),
                 "--batch-size",
                 "8",
                 "--max-length",
                 "8",
                 "--learning-rate",
                 "5e-3",
                 "--output",
                 file("tuned"),
                 "--json"} +
           more;
  }
  const TemporaryFolder folder_;
};

TEST_F(LanguageModel, MaskedLearnsFitsAndPredicts) {
  const Finished run = portatune(fit("masked-lm", tiny_bert(), {"--epochs", "12", "--mlm-probability", "0.3"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["before"]["perplexity"], 20);
  EXPECT_LT(result["after"]["perplexity"], 5);
  EXPECT_EQ(json::parse(read(file("tuned/config.json")))["architectures"], json({"BertForMaskedLM"}));

  const Finished evaluation = portatune(
      {"evaluate", "--model", file("tuned"), "--data", file("validation.txt"), "--max-length", "8", "--json"});
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_LT(json::parse(evaluation.out)["loss"], 2);
  EXPECT_THAT(evaluation.err, testing::Not(HasSubstr("new and start at random")));

  const Finished prediction =
      portatune({"predict", "--model", file("tuned"), "--data", file("validation.txt"), "--max-length", "8"});
  ASSERT_EQ(prediction.exit_code, 0) << prediction.err;
  EXPECT_EQ(std::ranges::count(prediction.out, '\n'), 16);
  EXPECT_TRUE(json::parse(prediction.out.substr(0, prediction.out.find('\n'))).contains("perplexity"));
}

TEST_F(LanguageModel, CausalLearnsWhatComesNext) {
  const std::string model = file("gpt2");
  fs::copy(std::string(PORTATUNE_TEST_DATA) + "/models/gpt2_lm", model);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    fs::copy_file(tiny_bert() + "/" + name, model + "/" + name);
  }
  const Finished run = portatune(fit("causal-lm", model, {"--epochs", "8"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["before"]["perplexity"], 20);
  EXPECT_LT(result["after"]["perplexity"], 3);
  EXPECT_GT(result["after"]["accuracy"], 0.6);
  EXPECT_EQ(json::parse(read(file("tuned/config.json")))["architectures"], json({"GPT2LMHeadModel"}));

  const Finished evaluation = portatune(
      {"evaluate", "--model", file("tuned"), "--data", file("validation.txt"), "--max-length", "8", "--json"});
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_EQ(scores_in(evaluation.out), result["after"]);

  // A block may be of several rows, and a row of several blocks.
  const auto predict = [&](const Words& more) {
    return portatune(Words{"predict", "--model", file("tuned"), "--data", file("validation.txt"), "--max-length", "8"} +
                     more);
  };
  const Finished table = predict({"--output", file("p.csv")});
  EXPECT_EQ(table.exit_code, 2) << table.err;
  EXPECT_THAT(table.err, HasSubstr(".jsonl"));
  EXPECT_EQ(predict({"--keep-columns", "text"}).exit_code, 2);
  const Finished lines = predict({});
  EXPECT_EQ(lines.exit_code, 0) << lines.err;
  EXPECT_FALSE(json_lines(lines.out).at(0).contains("row"));
}

TEST_F(LanguageModel, AnEncoderIsRefusedForCausalModelling) {
  const Finished run = portatune(fit("causal-lm", tiny_bert(), {}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("causal language modelling for a Bert checkpoint"));
}

}  // namespace
}  // namespace portatune::cli
