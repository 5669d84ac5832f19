#include "portatune/run/records/model_card.h"

#include <gmock/gmock.h>

#include <cmath>

#include "cli/program.h"
#include "io/temporary_folder.h"

namespace portatune::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunOptions run_of_cache() {
  RunOptions run;
  run.model.folder = "/cache/models--org--tiny-model/snapshots/0123abc";
  run.validation = {"dev=https://user:pass@host/dev.csv?token=abc"};
  run.output = "/runs/tuned";
  run.command = "portatune fit --train 'https://user:pass@host/train.csv?token=abc'";
  return run;
}

const Outcome kOutcome = {.train_examples = 64,
                          .steps = 8,
                          .before = Scores{{"accuracy", 0.5}},
                          .after = Scores{{"accuracy", 0.75}, {"f1", NAN}}};

TEST(ModelCard, MetadataNamesTheModelOfTheHubAndTheScores) {
  EXPECT_THAT(model_card(run_of_cache(), {{"seed", 42}}, kOutcome),
              AllOf(testing::StartsWith("---\nlibrary_name: transformers\nbase_model: \"org/tiny-model\"\n"
                                        "pipeline_tag: text-classification\ntags:\n- portatune\nmodel-index:\n"
                                        "- name: \"tuned\"\n"),
                    HasSubstr("    - type: \"accuracy\"\n      name: \"accuracy\"\n      value: 0.75\n---\n"),
                    HasSubstr("| accuracy | 0.5000 | 0.7500 |"), HasSubstr("| seed | 42 |")));
}

TEST(ModelCard, HasNoSecrets) {
  EXPECT_THAT(model_card(run_of_cache(), Json::object(), kOutcome),
              AllOf(Not(HasSubstr("abc")), Not(HasSubstr("pass@")), HasSubstr("name: \"dev.csv\"")));
}

TEST(ModelCard, NamesNoBaseModelThatTheHubDoesNotHave) {
  RunOptions run = run_of_cache();
  run.model.folder = "/models/mine";
  EXPECT_THAT(model_card(run, Json::object(), kOutcome),
              AllOf(Not(HasSubstr("base_model")), HasSubstr("fine-tuned from mine")));
}

TEST(ModelCard, ReplacesOnlyACardOfARun) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "README.md";
  EXPECT_TRUE(may_write_card(file));
  cli::write(file, model_card(run_of_cache(), Json::object(), kOutcome));
  EXPECT_TRUE(may_write_card(file));
  cli::write(file, "# My model\n");
  EXPECT_FALSE(may_write_card(file));
}

}  // namespace
}  // namespace portatune::run
