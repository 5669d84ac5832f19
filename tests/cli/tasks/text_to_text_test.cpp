#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/program.h"
#include "cli/toy.h"
#include "tasks/toy_seq2seq.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const Words kLetters = {"a", "b", "c", "d", "e", "f", "g", "h"};

std::string joined(const std::string& letters) {
  std::string text;
  for (const char letter : letters) text += (text.empty() ? "" : " ") + std::string(1, letter);
  return text;
}

// Rows of two to five letters, whose target is the same letters in order.
std::string letters_to_sort(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::string table = "letters,sorted\n";
  for (int i = 0; i < count; ++i) {
    std::string letters(2 + random() % 4, ' ');
    for (char& letter : letters) letter = static_cast<char>('a' + random() % kLetters.size());
    table += joined(letters);
    std::ranges::sort(letters);
    table += "," + joined(letters) + "\n";
  }
  return table;
}

class TextToTextCommand : public testing::Test {
 protected:
  TextToTextCommand() {
    std::filesystem::create_directory(toy_.file("bart"));
    write_toy_bart(toy_.file("bart"), kLetters, 32);
    write(toy_.file("train.csv"), letters_to_sort(4096, 1));
    write(toy_.file("dev.csv"), letters_to_sort(256, 2));
  }
  Words fit(const Words& more, const std::string& model = "bart") const {
    return Words{"fit",
                 "--task",
                 "text-to-text",
                 "--model",
                 toy_.file(model),
                 "--from-config",
                 "--train",
                 toy_.file("train.csv"),
                 "--validation",
                 toy_.file("dev.csv"),
                 "--max-length",
                 "8",
                 "--max-target-length",
                 "8",
                 "--learning-rate",
                 "3e-3",
                 "--output",
                 toy_.output()} +
           more;
  }
  Words with_lengths(const std::string& source, const std::string& target, const Words& more) const {
    Words words = fit(more);
    *std::next(std::ranges::find(words, "--max-length")) = source;
    *std::next(std::ranges::find(words, "--max-target-length")) = target;
    return words;
  }
  static json result(const Words& words) {
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }

  const Toy toy_;
};

TEST_F(TextToTextCommand, ABartOfRandomWeightsLearnsToSort) {
  const json fit =
      result(this->fit({"--predict-with-generate", "--max-steps", "600", "--eval-on-start=false", "--json"}));
  EXPECT_GT(fit["after"]["exact_match"], 99) << fit;
  const Words of_model = {"--model", toy_.output(), "--data", toy_.file("dev.csv")};
  const json greedy = result(Words{"evaluate", "--json"} + of_model);
  EXPECT_EQ(greedy["exact_match"], fit["after"]["exact_match"]) << "the settings of the run are kept";
  EXPECT_GT(result(Words{"evaluate", "--json", "--num-beams", "3"} + of_model)["exact_match"], 99);

  write(toy_.file("new.jsonl"), R"({"text": "c a b"})"
                                "\n"
                                R"({"text": "h a a e"})"
                                "\n");
  const Finished predict = portatune({"predict", "--model", toy_.output(), "--data", toy_.file("new.jsonl")});
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_EQ(predict.out, "{\"row\":0,\"text\":\"a b c\"}\n{\"row\":1,\"text\":\"a a e h\"}\n");
  const Finished typed = portatune({"predict", "--model", toy_.output(), "--text", "d c"});
  EXPECT_EQ(typed.out, "{\"row\":0,\"text\":\"c d\"}\n") << typed.err;
}

// Rows of the two tasks in turn. The prefix of a row names its task.
std::string letters_for_two_tasks(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::string table = "text,target\n";
  for (int i = 0; i < count; ++i) {
    std::string letters(2 + random() % 4, ' ');
    for (char& letter : letters) letter = static_cast<char>('a' + random() % kLetters.size());
    const bool sorts = i % 2 == 0;
    table += (sorts ? "sort: " : "reverse: ") + joined(letters);
    if (sorts) {
      std::ranges::sort(letters);
    } else {
      std::ranges::reverse(letters);
    }
    table += "," + joined(letters) + "\n";
  }
  return table;
}

TEST_F(TextToTextCommand, AT5OfRandomWeightsLearnsTheTasksOfTwoPrefixes) {
  std::filesystem::create_directory(toy_.file("t5"));
  write_toy_t5(toy_.file("t5"), kLetters + Words{"sort:", "reverse:"}, 32);
  write(toy_.file("train.csv"), letters_for_two_tasks(8192, 3));
  write(toy_.file("dev.csv"), letters_for_two_tasks(256, 4));
  const Words more = {"--predict-with-generate", "--max-steps", "900", "--padding", "max_length",
                      "--eval-on-start=false",   "--json"};
  const json fit = result(this->fit(more, "t5"));
  EXPECT_GT(fit["after"]["exact_match"], 99) << fit;
  for (const auto& [text, wanted] : {std::pair("sort: d a c", "a c d"), std::pair("reverse: d a c", "c a d")}) {
    const Finished predict = portatune({"predict", "--model", toy_.output(), "--text", text});
    EXPECT_THAT(predict.out, HasSubstr(std::string("\"text\":\"") + wanted + "\"")) << predict.err;
  }
}

TEST_F(TextToTextCommand, WithoutGenerationAnEvaluationMeasuresTheTargets) {
  const json fit = result(this->fit({"--max-steps", "2", "--json"}));
  EXPECT_TRUE(fit["after"].contains("perplexity")) << fit;
  EXPECT_FALSE(fit["after"].contains("exact_match")) << fit;
}

TEST_F(TextToTextCommand, TheTaskChoosesTheScoreOfTheBestModel) {
  const Words words = fit({"--max-steps", "4", "--eval-steps", "2", "--load-best-model-at-end",
                           "--predict-with-generate", "--max-eval-samples", "8"});
  const Finished run = portatune(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json settings = json::parse(read(toy_.output() + "/training_args.json"));
  EXPECT_EQ(settings["options"]["metric_for_best_model"], "exact_match");
}

TEST_F(TextToTextCommand, SourcesAndTargetsArePaddedApart) {
  const Finished run = portatune(fit({"--max-steps", "2", "--padding", "auto=2"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), HasSubstr("tokens (source+target)"));
}

// Four to eight pairs fit into a row of 32 sources and 16 targets; the model has no dropout.
TEST_F(TextToTextCommand, PackedPairsLearnWhatPaddedOnesDo) {
  const auto trained = [&](const Words& more) {
    const json fit = result(with_lengths("32", "16", {"--max-steps", "6", "--json"}) + more);
    std::filesystem::remove_all(toy_.output());
    return fit;
  };
  for (const Words& step :
       {Words{"--batch-size", "32"}, {"--batch-size", "16", "--gradient-accumulation-steps", "2"}}) {
    const Words one_length = step + Words{"--padding", "max_length"};  // batches of the same rows
    const json padded = trained(one_length + Words{"--packing", "none"});
    const json packed = trained(one_length + Words{"--packing", "exact_examples"});
    EXPECT_NEAR(packed["train_loss"], padded["train_loss"], 1e-4);
    EXPECT_NEAR(packed["after"]["loss"], padded["after"]["loss"], 1e-4);
  }
}

TEST_F(TextToTextCommand, PackedRunsResumeToTheBit) {
  const Words words = with_lengths(
      "32", "16",
      {"--max-steps", "6", "--checkpoint-every", "3", "--packing", "exact_examples", "--max-eval-samples", "8"});
  const Finished whole = portatune(words);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(unwrapped(whole.err), HasSubstr("rows of 32+16 tokens (source+target)"));
  Words resumed = words + Words{"--resume-from-checkpoint", toy_.output() + "/checkpoint-3"};
  *std::next(std::ranges::find(resumed, "--output")) = toy_.file("resumed");
  const Finished run = portatune(resumed);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read(toy_.file("resumed/model.safetensors")), read(toy_.output() + "/model.safetensors"));
}

TEST_F(TextToTextCommand, PairsArePackedByDefaultWhereThatSavesPadding) {
  std::string uneven = "letters,sorted\n";
  for (int i = 0; i < 64; ++i) {
    const std::string letters = joined(std::string(i % 4 == 0 ? 20 : 1, 'a'));
    uneven += letters + "," + letters + "\n";
  }
  write(toy_.file("train.csv"), uneven);
  const Finished long_rows = portatune(with_lengths("32", "32", {"--max-steps", "1", "--max-eval-samples", "8"}));
  ASSERT_EQ(long_rows.exit_code, 0) << long_rows.err;
  EXPECT_THAT(unwrapped(long_rows.err), HasSubstr("packing 32 pairs into"));
  std::filesystem::remove_all(toy_.output());
  // Each target takes the room of eight times as many tokens of a source.
  const Finished short_rows = portatune(with_lengths("64", "8", {"--max-steps", "1", "--max-eval-samples", "8"}));
  ASSERT_EQ(short_rows.exit_code, 0) << short_rows.err;
  EXPECT_THAT(unwrapped(short_rows.err), Not(HasSubstr("packing")));
}

TEST_F(TextToTextCommand, SweepsChooseByTheScoreOfTheTask) {
  Words words = fit({"--max-steps", "2", "--predict-with-generate", "--max-eval-samples", "8", "--json", "--grid",
                     "learning-rate=1e-3,3e-3"});
  words.front() = "sweep";
  const auto rate = std::ranges::find(words, "--learning-rate");
  words.erase(rate, rate + 2);
  EXPECT_EQ(result(words)["metric"], "exact_match");
}

TEST_F(TextToTextCommand, FoldsPredictTextsOfTheirRowsAlone) {
  write(toy_.file("train.csv"), letters_to_sort(16, 1));
  const Words folds = {"fit",
                       "--task",
                       "text-to-text",
                       "--model",
                       toy_.file("bart"),
                       "--from-config",
                       "--train",
                       toy_.file("train.csv"),
                       "--folds",
                       "2",
                       "--max-length",
                       "8",
                       "--max-target-length",
                       "8",
                       "--predict-with-generate",
                       "--max-steps",
                       "2",
                       "--output",
                       toy_.output()};
  const Finished test = portatune(folds + Words{"--test", toy_.file("dev.csv")});
  EXPECT_EQ(test.exit_code, 2);
  EXPECT_THAT(unwrapped(test.err), HasSubstr("a task whose predictions have a mean"));
  const Finished run = portatune(folds);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(std::ranges::count(read(toy_.file("tuned/out_of_fold.jsonl")), '\n'), 16);
}

}  // namespace
}  // namespace portatune::cli
