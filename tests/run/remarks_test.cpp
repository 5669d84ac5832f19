#include "portatune/run/remarks.h"

#include <gmock/gmock.h>

#include "io/temporary_folder.h"
#include "portatune/tasks/text_to_text.h"

namespace portatune::run {
namespace {

TEST(Remarks, NameAFewUnexpectedWeights) {
  EXPECT_THAT(remarks({}), testing::IsEmpty());
  EXPECT_THAT(remarks({.missing = {}, .unexpected = {"a", "b", "c", "d", "e", "f", "g", "h"}}),
              testing::ElementsAre("8 of the checkpoint's weights have no place in the model and are left out: "
                                   "a, b, c, d, e, f and 2 more"));
}

TEST(Remarks, SayThatPicklesAreNotExecuted) {
  const TemporaryFolder folder;
  write_text(folder / "pytorch_model.bin", "");
  const LoadReport report{.missing = {}, .unexpected = {}, .folder = folder.path()};
  EXPECT_THAT(remarks(report), testing::ElementsAre("the weights are Python pickles: only their tensors are read, and "
                                                    "nothing in them is executed"));
  write_text(folder / "model.safetensors", "");
  EXPECT_THAT(remarks(report), testing::IsEmpty());
}

TEST(Remarks, NameUnknownKeysOfTheConfigInOneLine) {
  EXPECT_THAT(remarks_on_config({}), testing::IsEmpty());
  EXPECT_THAT(remarks_on_config({"rope", "moe"}),
              testing::ElementsAre("config.json has keys that are not known and have no effect: rope, moe"));
}

// The parameters are those in config.json of T5, and those of GPT-2, which has no prefix.
TEST(Remarks, HintAtPrefixesAndBeamsOfTasks) {
  const TemporaryFolder folder;
  const auto with_params = [&](const std::string& params) {
    write_text(folder / "config.json", R"({"task_specific_params": )" + params + "}");
  };
  with_params(R"({"summarization": {"num_beams": 4, "prefix": "summarize: "},
                  "translation_en_to_de": {"max_length": 300, "prefix": "translate English to German: "}})");
  const std::string head = "config.json has prefixes of sources and beams that have no effect by themselves; ",
                    summary = "summarization: \"summarize: \", 4 beams",
                    german = "translation_en_to_de: \"translate English to German: \"",
                    options = " (--source-prefix, --num-beams)";
  EXPECT_THAT(remarks_on_task_params(folder.path()), testing::ElementsAre(head + summary + "; " + german));
  ModelOptions model{.task = "summarization", .folder = folder.path()};
  EXPECT_THAT(remarks_on_task_params(model, model.folder), testing::ElementsAre(head + summary + options));
  model.task = "translation";
  EXPECT_THAT(remarks_on_task_params(model, model.folder), testing::ElementsAre(head + german + options));
  model.options.of<TextToTextOptions>().source_prefix = "translate English to German: ";
  EXPECT_THAT(remarks_on_task_params(model, model.folder), testing::IsEmpty());
  model.task = "text-classification";
  EXPECT_THAT(remarks_on_task_params(model, model.folder), testing::IsEmpty());
  with_params(R"({"text-generation": {"do_sample": true, "max_length": 50}})");
  EXPECT_THAT(remarks_on_task_params(folder.path()), testing::IsEmpty());
}

}  // namespace
}  // namespace portatune::run
