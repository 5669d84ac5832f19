// --config-overrides.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

struct Saved {
  std::string weights;
  Json config;
};

class ConfigOverrides : public testing::Test {
 protected:
  Saved saved(const Words& more, const std::string& model = tiny_bert()) const {
    Words words = toy_.fit(Words{"--max-steps", "2"} + more);
    std::ranges::replace(words, tiny_bert(), model);
    fs::remove_all(toy_.output());
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return {read(toy_.output() + "/model.safetensors"), Json::parse(read(toy_.output() + "/config.json"))};
  }

  const Toy toy_;
};

TEST_F(ConfigOverrides, TrainLikeAFolderWithTheseValues) {
  const fs::path model = toy_.copy_of_model();
  const std::string file = (model / "config.json").string();
  Json config = Json::parse(read(file));
  config["hidden_dropout_prob"] = 0.4;
  write(file, config.dump());
  const Saved expected = saved({}, model.string());
  const Saved found = saved({"--config-overrides", "hidden_dropout_prob=0.4"});
  EXPECT_EQ(found.config["hidden_dropout_prob"], 0.4);
  EXPECT_TRUE(found.weights == expected.weights);
  EXPECT_FALSE(found.weights == saved({}).weights);
}

TEST_F(ConfigOverrides, AreSettingsOfASweep) {
  Words words = toy_.fit({"--max-steps", "1", "--quiet", "--grid",
                          "config-overrides=hidden_dropout_prob=0,hidden_dropout_prob=0.4"});
  words.front() = "sweep";
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string output = toy_.output();
  for (const char* trial : {"trial-001", "trial-002"}) EXPECT_TRUE(fs::exists(output + "/" + trial + "/metrics.jsonl"));
}

TEST_F(ConfigOverrides, RefuseAnUnknownKey) {
  const Finished run = portatune(toy_.fit({"--config-overrides", "dropouts=0.4"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(unwrapped(run.err), HasSubstr("the key dropouts, which this model does not read"));
  EXPECT_FALSE(fs::exists(toy_.output()));
}

}  // namespace
}  // namespace portatune::cli
