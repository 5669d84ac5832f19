#include "portatune/tasks/fill_mask.h"

#include <gmock/gmock.h>

#include "portatune/error.h"
#include "tasks/forward.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class FillMask : public testing::Test {
 protected:
  FillMask() { write_case_with_tokenizer(model_, "bert_mlm"); }

  std::string complaint(const std::string& text, FillMaskOptions options = {}) const {
    const auto task = fill_mask(model_, options);
    return message_of<DataError>([&] { predictions(*task, {text}); });
  }

  const TemporaryFolder folder_;
  const std::filesystem::path model_ = folder_ / "model";
};

TEST(FillMaskOfTransformers, EqualsThePipeline) {
  const Json cases = prediction_cases("fill-mask");
  ASSERT_GE(cases.size(), 2u);
  for (const Json& c : cases) {
    const TemporaryFolder folder;
    write_case_with_tokenizer(folder / "model", c["model"]);
    const auto task = fill_mask(folder / "model", {.top_k = c["top_k"]});
    const std::vector<Json> found = predictions(*task, c["texts"]);
    ASSERT_EQ(found.size(), c["results"].size());
    for (size_t row = 0; row < found.size(); ++row) {
      const Json &masks = found[row].at("masks"), &expected = c["results"][row];
      ASSERT_EQ(masks.size(), expected.size());
      for (size_t m = 0; m < masks.size(); ++m) {
        ASSERT_EQ(masks[m].size(), c["top_k"].get<size_t>());
        for (size_t i = 0; i < masks[m].size(); ++i) {
          EXPECT_NEAR(masks[m][i]["score"].get<double>(), expected[m][i]["score"].get<double>(), 1e-6);
          for (const char* key : {"token", "token_str", "sequence"}) EXPECT_EQ(masks[m][i][key], expected[m][i][key]);
        }
      }
    }
  }
}

TEST_F(FillMask, ErrorNamesTheMaskTokenAndTheRow) {
  EXPECT_THAT(complaint("the film was good"), AllOf(HasSubstr("without [MASK]"), HasSubstr("example 0")));
  EXPECT_THAT(complaint("the film was good"), Not(HasSubstr("--max-length")));
  EXPECT_THAT(complaint("the film was good and [MASK]", {.max_length = 5}),
              AllOf(HasSubstr("without [MASK] in its first 5 tokens"), HasSubstr("--max-length")));
}

TEST_F(FillMask, RefusesMoreTokensThanTheModelHas) {
  EXPECT_THAT(message_of<UsageError>([&] { fill_mask(model_, {.top_k = 101}); }),
              AllOf(HasSubstr("top_k"), HasSubstr("at most 100")));
}

TEST_F(FillMask, NeedsAMaskTokenAndAHead) {
  write_text(model_ / "tokenizer_config.json", "{}");
  std::string tokenizer = text_of(model_ / "tokenizer.json");
  for (size_t at; (at = tokenizer.find("[MASK]")) != std::string::npos;) tokenizer.replace(at, 6, "[HASK]");
  write_text(model_ / "tokenizer.json", tokenizer);
  std::filesystem::remove(model_ / "vocab.txt");
  EXPECT_THAT(message_of<CheckpointError>([&] { fill_mask(model_, {}); }), HasSubstr("without a mask token"));
  write_case_with_tokenizer(folder_ / "gpt2", "gpt2_lm");
  const auto task = fill_mask(folder_ / "gpt2", {});
  EXPECT_THAT(message_of<UsageError>([&] { predictions(*task, {"a [MASK]"}); }), HasSubstr("masked language"));
}

}  // namespace
}  // namespace portatune::test
