#include "portatune/tasks/rows/instruction_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "portatune/error.h"

namespace portatune::tasks {
namespace {

using nlohmann::json;

const std::filesystem::path kData = PORTATUNE_TEST_DATA "/chat";

class InstructionRowsTest : public testing::Test {
 protected:
  const text::Tokenizer tokenizer_ = text::Tokenizer::load(kData / "toy");

  static json golden() {
    std::ifstream in(kData / "labels.json");
    return json::parse(in);
  }
  static std::string as_column(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  static std::filesystem::path template_in(const json& expected) {
    return expected.contains("template") ? kData / (expected["template"].get<std::string>() + ".jinja") : "";
  }
  LabelledTokens encode(const InstructionOptions& options, const data::Example& row) const {
    return InstructionRows(kData / "toy", tokenizer_, options).encode(row);
  }
  static void expect_golden(const LabelledTokens& found, const json& expected) {
    SCOPED_TRACE(expected.dump());
    EXPECT_EQ(found.ids, expected["ids"].get<std::vector<int32_t>>());
    EXPECT_EQ(found.labels, expected["labels"].get<std::vector<int32_t>>());
  }
};

data::Example row(const std::string& column, const std::string& text) { return data::Example().set(column, text); }

TEST_F(InstructionRowsTest, ConversationsHaveTheReferencesLabels) {
  const json cases = golden()["conversations"];
  ASSERT_GT(cases.size(), 20u);
  for (const json& expected : cases) {
    InstructionOptions options{.messages_column = "messages", .chat_template = template_in(expected)};
    options.chat.variables = R"({"date_string": "1 Jan 2000"})";
    expect_golden(encode(options, row("messages", expected["messages"].dump())), expected);
  }
}

TEST_F(InstructionRowsTest, CompletionsHaveTheReferencesLabels) {
  const json cases = golden()["completions"];
  ASSERT_GT(cases.size(), 10u);
  for (const json& expected : cases) {
    const InstructionOptions options{
        .prompt_column = "prompt", .completion_column = "completion", .chat_template = template_in(expected)};
    data::Example example = row("prompt", as_column(expected["prompt"]));
    example.set("completion", as_column(expected["completion"]));
    expect_golden(encode(options, example), expected);
  }
}

// Prompt and completion as texts, and as messages.
TEST_F(InstructionRowsTest, ConvertsTextsToMessagesOnRequest) {
  int compared = 0;
  const json cases = golden()["completions"];
  for (const json& expected : cases) {
    if (!expected["prompt"].is_array() || expected["prompt"].size() != 1) continue;
    InstructionOptions options{.prompt_column = "p", .completion_column = "c", .chat_template = template_in(expected)};
    options.as_messages = true;
    data::Example example = row("p", expected["prompt"][0]["content"].get<std::string>());
    example.set("c", expected["completion"][0]["content"].get<std::string>());
    expect_golden(encode(options, example), expected);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

TEST_F(InstructionRowsTest, AnInputFollowsThePrompt) {
  const InstructionOptions options{.prompt_column = "p", .completion_column = "c", .input_column = "i"};
  const auto ids = [&](const char* prompt, const char* input) {
    return encode(options, row("p", prompt).set("i", input).set("c", "yes")).ids;
  };
  EXPECT_EQ(ids("say", "one"), ids("say\n\none", ""));
  EXPECT_NE(ids("say", "one"), ids("say", ""));
}

TEST_F(InstructionRowsTest, RejectsAConversationWithoutAnAssistant) {
  for (const char* name : {"chatml.jinja", "bars.jinja"}) {
    const InstructionOptions options{.messages_column = "m", .chat_template = kData / name};
    EXPECT_THROW(encode(options, row("m", R"([{"role": "user", "content": "a"}])")), DataError);
  }
}

TEST_F(InstructionRowsTest, RejectsATextBesideMessages) {
  const InstructionOptions options{
      .prompt_column = "p", .completion_column = "c", .chat_template = kData / "chatml.jinja"};
  data::Example example = row("p", R"([{"role": "user", "content": "a"}])");
  example.set("c", "text");
  EXPECT_THROW(encode(options, example), DataError);
}

TEST_F(InstructionRowsTest, ColumnsAreOfOneKind) {
  const auto make = [&](const InstructionOptions& options) { InstructionRows(kData / "toy", tokenizer_, options); };
  EXPECT_THROW(make({}), UsageError);
  EXPECT_THROW(make({.prompt_column = "p"}), UsageError);
  EXPECT_THROW(make({.messages_column = "m", .prompt_column = "p", .completion_column = "c"}), UsageError);
  EXPECT_NO_THROW(make({.prompt_column = "p", .completion_column = "c"}));
  EXPECT_THROW(make({.messages_column = "m"}), CheckpointError);  // the toy folder has no template
}

// Tokens "ab", "é", two of one character: bytes count as characters of the text.
TEST(TokensOfSpans, CoverTheFirstToTheLastCharacter) {
  const std::vector<text::Offsets> offsets = {{0, 2}, {2, 3}, {3, 4}, {3, 4}, {4, 6}};
  const std::string text = "abé🙂cd";
  EXPECT_THAT(tokens_of_spans(text, {{1, 4}}, offsets), testing::ElementsAre(true, true, false, false, false));
  EXPECT_THAT(tokens_of_spans(text, {{2, 8}}, offsets), testing::ElementsAre(false, true, true, false, false));
  EXPECT_THAT(tokens_of_spans(text, {{8, 10}, {0, 0}}, offsets),
              testing::ElementsAre(false, false, false, false, true));
}

}  // namespace
}  // namespace portatune::tasks
