// --model and --tokenizer: folders, names of the Hugging Face Hub, and what is neither.
#include <gmock/gmock.h>
#include <stdlib.h>

#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A Hugging Face cache with the tiny model as org/tiny.
class ModelArgumentsCommand : public testing::Test {
 protected:
  ModelArgumentsCommand() {
    const fs::path cached = fs::path(cache()) / "models--org--tiny";
    fs::create_directories(cached / "snapshots");
    fs::create_directories(cached / "refs");
    fs::copy(tiny_bert(), cached / "snapshots" / "abc");
    write(cached / "refs" / "main", "abc");
    setenv("HF_HUB_CACHE", cache().c_str(), 1);
    setenv("HF_HUB_OFFLINE", "1", 1);
  }
  ~ModelArgumentsCommand() override {
    unsetenv("HF_HUB_CACHE");
    unsetenv("HF_HUB_OFFLINE");
  }

  std::string cache() const { return toy_.file("hub"); }
  Words fit_from(const std::string& model, const Words& more = {}) const {
    return Words{"fit", "--model", model, "--train", toy_.file("train.csv"), "--output", toy_.output()} + more;
  }

  const Toy toy_;
};

TEST_F(ModelArgumentsCommand, HubNameOfTheCacheIsTrained) {
  const Finished run = portatune(fit_from("org/tiny", {"--max-length", "16", "--max-steps", "1"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--model org/tiny: using " + cache() + "/models--org--tiny/snapshots/abc\n"));
}

TEST_F(ModelArgumentsCommand, TokenizerIsFoundLikewise) {
  const Finished run = portatune({"tokenize", "--tokenizer", "org/tiny", "--input", toy_.file("train.csv")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"ids\":["));
}

TEST_F(ModelArgumentsCommand, UnknownHubNameIsAnErrorOfEveryOfflineCommand) {
  const std::string data = toy_.file("train.csv");
  for (const Words& words : {fit_from("bert-base-uncased"),
                             {"evaluate", "--model", "bert-base-uncased", "--data", data},
                             {"predict", "--model", "bert-base-uncased", "--data", data},
                             {"generate", "--model", "bert-base-uncased", "--prompt", "a"},
                             {"bench", "--model", "bert-base-uncased"},
                             {"bench-input", "--model", "bert-base-uncased", "--train", data},
                             {"plan", "--on", "cpu", "--model", "bert-base-uncased", "--train", data},
                             {"parity", "--against", "no-kernels", "--model", "bert-base-uncased", "--train", data},
                             {"tokenize", "--tokenizer", "bert-base-uncased", "--input", data}}) {
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 66) << words[0];
    EXPECT_THAT(run.err, AllOf(HasSubstr(" bert-base-uncased\n"), HasSubstr(cache()),
                               HasSubstr("unset HF_HUB_OFFLINE, and portatune download bert-base-uncased")))
        << words[0];
  }
}

TEST_F(ModelArgumentsCommand, ModelIsLookedForBeforeRemoteData) {
  const Finished run = portatune(
      {"fit", "--model", toy_.file("brt"), "--train", "s3://no-such-bucket/train.csv", "--output", toy_.output()});
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--model"), Not(HasSubstr("s3://"))));
}

TEST_F(ModelArgumentsCommand, DefaultLengthIsThatOfTheModel) {
  const Finished run =
      portatune({"bench-input", "--model", tiny_bert(), "--train", toy_.file("train.csv"), "--seconds", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--max-length is 32, not 128: the model has no more positions\n"));
}

TEST_F(ModelArgumentsCommand, MissingCheckpointIsNamed) {
  const Finished run = portatune(fit_from(tiny_bert(), {"--resume-from-checkpoint", toy_.file("tuned/checkpoint-9")}));
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--resume-from-checkpoint"), HasSubstr("no such checkpoint folder")));
}

}  // namespace
}  // namespace portatune::cli
