// Training from a config without weights.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FromScratch : public testing::Test {
 protected:
  FromScratch() { fs::remove(model_ / "model.safetensors"); }

  Words fit(const fs::path& model, const Words& more = {}) const {
    Words words = toy_.fit({"--max-steps", "2"});
    std::ranges::replace(words, tiny_bert(), model.string());
    return words + more;
  }
  // The weights after a run on `model`.
  std::string weights(const fs::path& model, const Words& more = {}) const {
    fs::remove_all(toy_.output());
    const Finished run = portatune(fit(model, Words{"--from-config"} + more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read(toy_.output() + "/model.safetensors");
  }
  Json config(const fs::path& folder) const { return Json::parse(read((folder / "config.json").string())); }

  const Toy toy_;
  const fs::path model_ = toy_.copy_of_model();  // without weights
};

TEST_F(FromScratch, TheWeightsFollowFromTheSeedAlone) {
  const std::string without = weights(model_);
  EXPECT_EQ(weights(tiny_bert()), without);
  EXPECT_NE(weights(model_, {"--seed", "7"}), without);
}

TEST_F(FromScratch, TheReportAndTheCardSaySo) {
  const Finished run = portatune(fit(model_, {"--from-config"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), AllOf(HasSubstr("; new: all weights"), Not(HasSubstr("warning"))));
  EXPECT_THAT(read(toy_.output() + "/README.md"), HasSubstr("trained from scratch with the config of"));
}

TEST_F(FromScratch, IsTheWayToTrainAFolderWithoutWeights) {
  const Finished run = portatune(fit(model_));
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(unwrapped(run.err), AllOf(HasSubstr("no weights"), HasSubstr("--from-config")));
}

TEST_F(FromScratch, AnAdapterIsRefused) {
  const Finished run = portatune(fit(tiny_bert(), {"--from-config", "--adapter", "lora"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("from-config"));
}

TEST_F(FromScratch, VocabSizeFollowsTheTokenizer) {
  Json written = config(model_);
  written.erase("vocab_size");
  write(model_ / "config.json", written.dump());
  weights(model_);
  const Json tokenizer = Json::parse(read((model_ / "tokenizer.json").string()));
  EXPECT_EQ(config(toy_.output())["vocab_size"], tokenizer["model"]["vocab"].size());
}

TEST_F(FromScratch, ATokenizerBeyondVocabSizeIsRefused) {
  Json written = config(model_);
  written["vocab_size"] = 5;
  write(model_ / "config.json", written.dump());
  const Finished run = portatune(fit(model_, {"--from-config"}));
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(unwrapped(run.err), HasSubstr("tokens and an embedding of 5"));
}

TEST_F(FromScratch, AResumedRunContinuesWithItsWeights) {
  const Words steps = {"--checkpoint-every", "1"};
  const std::string whole = weights(model_, steps), checkpoint = toy_.file("checkpoint-1");
  fs::rename(toy_.output() + "/checkpoint-1", checkpoint);
  fs::remove_all(toy_.output());
  const Words again = fit(model_, steps + Words{"--resume-from-checkpoint", checkpoint});
  EXPECT_THAT(portatune(again).err, HasSubstr("from_config"));
  const Finished run = portatune(again + Words{"--from-config"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read(toy_.output() + "/model.safetensors"), whole);
}

TEST_F(FromScratch, APlanNeedsNoWeights) {
  Words words = fit(model_, {"--from-config"});
  words.front() = "plan";
  words.insert(words.end(), {"--on", "cpu"});
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

}  // namespace
}  // namespace portatune::cli
