// portatune tokenizer train.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TokenizerTrain : public testing::Test {
 protected:
  Words train(const Words& more) const { return Words{"tokenizer", "train"} + more + Words{"--output", output_}; }
  Finished refused(const Words& words, int exit_code) const {
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_FALSE(fs::exists(output_ + "/tokenizer.json"));
    return run;
  }

  const Toy toy_;
  const std::string output_ = toy_.file("tokenizer");
};

TEST_F(TokenizerTrain, WritesATokenizerOfAColumn) {
  const Finished run = portatune(train({toy_.file("train.csv"), "--vocab-size", "60", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto result = nlohmann::json::parse(run.out);
  EXPECT_EQ(result["tokenizer"], output_);
  EXPECT_GT(result["vocab_size"], 20);
  EXPECT_GT(result["rows"], 10);
  const Finished tokens = portatune({"tokenize", "--tokenizer", output_, "--input", toy_.file("validation.csv")});
  EXPECT_EQ(tokens.exit_code, 0) << tokens.err;
  EXPECT_THAT(tokens.out, HasSubstr("{\"ids\":[2,"));
}

TEST_F(TokenizerTrain, ReadsSeveralFilesAndAnotherColumn) {
  write(toy_.file("a.jsonl"), "{\"body\": \"aa\"}\n{\"body\": \"bb\"}\n");
  write(toy_.file("b.jsonl"), "{\"body\": \"cc\"}\n");
  const Finished run =
      portatune(train({toy_.file("a.jsonl"), toy_.file("b.jsonl"), "--text-column", "body", "--type", "bpe",
                       "--special-tokens", "<|endoftext|>", "--vocab-size", "300", "--min-frequency", "1", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["vocab_size"], 1 + 256 + 3);  // aa, bb, cc
}

TEST_F(TokenizerTrain, ReplacesNothing) {
  fs::create_directory(output_);
  write(output_ + "/config.json", "{}");
  EXPECT_THAT(refused(train({toy_.file("train.csv")}), 2).err, HasSubstr("a folder or file that exists"));
  fs::remove(output_ + "/config.json");
  EXPECT_EQ(portatune(train({toy_.file("train.csv"), "-q"})).exit_code, 0);
}

TEST_F(TokenizerTrain, LeavesNothingAfterAnError) {
  EXPECT_THAT(refused(train({toy_.file("none.csv")}), 66).err, HasSubstr("none.csv"));
  EXPECT_THAT(refused(train({toy_.file("train.csv"), "--vocab-size", "9"}), 2).err,
              AllOf(HasSubstr("vocab-size"), HasSubstr("at least ")));
  write(toy_.file("blank.txt"), " \n\n");
  EXPECT_THAT(refused(train({toy_.file("blank.txt")}), 65).err, HasSubstr("texts without a word"));
  EXPECT_THAT(refused(train({toy_.file("train.csv"), "--type", "words"}), 2).err, HasSubstr("wordpiece"));
}

TEST_F(TokenizerTrain, HelpHasTheVocabulary) {
  EXPECT_THAT(portatune({"tokenizer", "train", "--help"}).out,
              AllOf(HasSubstr("--vocab-size"), HasSubstr("portatune tokenizer train")));
}

}  // namespace
}  // namespace portatune::cli
