#include "portatune/run/inputs/task/config_overrides.h"

#include <gmock/gmock.h>

#include "cli/toy.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::run {
namespace {

using testing::HasSubstr;

ConfigValues values_of(std::vector<std::string> texts) {
  ModelOptions model;
  model.config_overrides = std::move(texts);
  return source_of(model, "m").config;
}

TEST(ConfigOverrides, AreJsonOrTexts) {
  const ConfigValues expected = {{"activation", "\"relu\""}, {"dropout", "0.2"},  {"layers", "[0, 1]"},
                                 {"n", "null"},              {"tie", "false"},    {"width", "64"}};
  EXPECT_EQ(values_of({"dropout=0.2,layers=[0, 1],activation=relu", "tie=False", "width=64,n=None"}), expected);
  EXPECT_EQ(values_of({"activation=\"relu\""}), (ConfigValues{{"activation", "\"relu\""}}));
}

TEST(ConfigOverrides, HaveKeyAndValue) {
  const auto refusal = [](const std::string& text) { return message_of<UsageError>([&] { values_of({text}); }); };
  EXPECT_THAT(refusal("dropout"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(refusal("=1"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(refusal("a=1,a=2"), HasSubstr("two values of a"));
}

TEST(ConfigOverrides, HaveKeysThatTheModelReads) {
  Events events;
  ModelOptions model;
  model.folder = cli::tiny_bert();
  model.options.of<TextClassificationRunOptions>().max_length = 8;
  model.config_overrides = {"hidden_dropout_prob=0.2"};
  EXPECT_NO_THROW(open_task(model, model.folder, {}, Classes::kAssumed, events));
  model.config_overrides = {"hidden_dropout=0.2"};
  EXPECT_THAT(message_of<UsageError>([&] { open_task(model, model.folder, {}, Classes::kAssumed, events); }),
              HasSubstr("the key hidden_dropout, which this model does not read"));
  model.config_overrides = {"hidden_dropout_prob=much"};
  EXPECT_THROW(open_task(model, model.folder, {}, Classes::kAssumed, events), CheckpointError);
}

}  // namespace
}  // namespace portatune::run
