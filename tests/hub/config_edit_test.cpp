#include "portatune/hub/config_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::hub {
namespace {

using ::testing::HasSubstr;

TEST(EditConfig, ChangesTheGivenKeysAndKeepsTheOrder) {
  const std::string original = R"({"z": {"unknown": [1, 2.5, null]}, "architectures": ["BertModel"], "num_labels": 5,
                                   "torch_dtype": "bfloat16", "layer_norm_eps": 1e-12, "transformers_version": "4.8.2"})";
  const std::string edited = edit_config(original, "config.json",
                                         {.architecture = "BertForSequenceClassification",
                                          .labels = std::vector<std::string>{"negative", "positive"},
                                          .problem_type = "single_label_classification",
                                          .dtype = DType::kFloat32});
  EXPECT_EQ(edited, R"({
  "z": {
    "unknown": [
      1,
      2.5,
      null
    ]
  },
  "architectures": [
    "BertForSequenceClassification"
  ],
  "torch_dtype": "float32",
  "layer_norm_eps": 1e-12,
  "transformers_version": "4.8.2",
  "id2label": {
    "0": "negative",
    "1": "positive"
  },
  "label2id": {
    "negative": 0,
    "positive": 1
  },
  "problem_type": "single_label_classification"
}
)");
}

TEST(EditConfig, NoChangesKeepEveryValue) {
  const std::string text = "{\n  \"b\": 1,\n  \"a\": \"\u00e4\",\n  \"n\": 18446744073709551615\n}\n";
  EXPECT_EQ(edit_config(text, "config.json", {}), text);
}

TEST(EditConfig, SetsOtherKeys) {
  const std::string edited = edit_config(R"({"dropout": 0.1, "act": "gelu"})", "config.json",
                                         {.values = {{"act", "\"relu\""}, {"dropout", "0"}, {"layers", "[1]"}}});
  EXPECT_EQ(edited, "{\n  \"dropout\": 0,\n  \"act\": \"relu\",\n  \"layers\": [\n    1\n  ]\n}\n");
}

TEST(EditConfig, RefusesAValueThatIsNoJson) {
  EXPECT_THAT(message_of<UsageError>([] { edit_config("{}", "config.json", {.values = {{"act", "relu"}}}); }),
              HasSubstr("config.json, act"));
}

TEST(EditConfig, RefusesInvalidLabels) {
  const auto edit = [](std::vector<std::string> labels) {
    return message_of<UsageError>([&] { edit_config("{}", "config.json", {.labels = labels}); });
  };
  EXPECT_THAT(edit({"a", "b", "a"}), HasSubstr("twice"));
  EXPECT_THAT(edit({"\xff"}), HasSubstr("UTF-8"));
}

TEST(EditConfig, RefusesInvalidJson) { EXPECT_THROW(edit_config("{", "config.json", {}), CheckpointError); }

}  // namespace
}  // namespace portatune::hub
