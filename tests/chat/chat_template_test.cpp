#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/chat.h"
#include "portatune/chat/dates.h"
#include "portatune/error.h"

namespace portatune {
namespace {

using testing::HasSubstr;

const std::string kData = PORTATUNE_TEST_DATA "/chat/";
// The toy folder. Its bos_token is "<s>" and its eos_token is "</s>".
const std::string kToy = kData + "toy";

ChatTemplate golden(const std::string& name) { return ChatTemplate::load(kToy, kData + name); }

class ChatTemplateInFolder : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string loaded(const ChatOptions& options = {}) const {
    return ChatTemplate::load(folder_.path()).apply(Conversation().with("user", "hi"), options);
  }
  const TemporaryFolder folder_;
};

TEST(ChatTemplate, RendersConversationsAsTheReference) {
  std::ifstream in(kData + "renderings.json");
  const nlohmann::ordered_json cases = nlohmann::ordered_json::parse(in).at("cases");
  int compared = 0;
  for (const auto& expected : cases) {
    const auto& variables = expected.at("variables");
    if (expected.contains("error") || variables.contains("date_string")) continue;
    SCOPED_TRACE(expected.dump());
    const Conversation conversation = Conversation::parse(variables.at("messages").dump());
    ChatOptions options{.add_generation_prompt = variables.at("add_generation_prompt"), .tools = {}, .variables = {}};
    options.date = "2024-07-04";
    EXPECT_EQ(golden(expected.at("template")).apply(conversation, options), expected.at("text").get<std::string>());
    ++compared;
  }
  EXPECT_GT(compared, 60);
}

TEST(ChatTemplate, PassesToolsAndVariablesToTheTemplate) {
  const Conversation conversation = Conversation().with("user", "hi");
  EXPECT_EQ(
      golden("chatml.jinja").apply(conversation, {.tools = R"([{"type": "function", "function": {"name": "f"}}])"}),
      "<|im_start|>system\nFunctions:\n{\"name\": \"f\"}<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n");
  EXPECT_THAT(golden("headers.jinja").apply(conversation, {.variables = R"({"date_string": "1 Jan 2000"})"}),
              HasSubstr("Today: 1 Jan 2000\n"));
  EXPECT_THROW(golden("headers.jinja").apply(conversation, {.variables = "[]"}), UsageError);
}

// Expected spans by hand. chatml marks the assistant's words, bars does not.
TEST(ChatTemplate, FindsAssistantSpansByBlocksOrPrefixes) {
  const Conversation conversation =
      Conversation().with("user", "é").with("assistant", "yes").with("user", "b").with("assistant", "no");
  const auto said = [&](const ChatText& chat) {
    std::vector<std::string> texts;
    for (const TextSpan& span : chat.assistant) texts.push_back(chat.text.substr(span.begin, span.end - span.begin));
    return texts;
  };
  EXPECT_THAT(said(golden("chatml.jinja").apply_with_spans(conversation)),
              testing::ElementsAre("yes<|im_end|>", "no<|im_end|>"));
  EXPECT_THAT(said(golden("bars.jinja").apply_with_spans(conversation)), testing::ElementsAre("yes</s>\n", "no</s>\n"));
}

TEST_F(ChatTemplateInFolder, RefusesSpansIfAnEarlierPartIsNoPrefix) {
  write("chat_template.jinja", "{% for m in messages %}{{ m.content if loop.last else '...' }}|{% endfor %}");
  const Conversation two = Conversation().with("user", "a").with("assistant", "b");
  try {
    ChatTemplate::load(folder_.path()).apply_with_spans(two);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("first 1 messages give another text alone"));
    EXPECT_THAT(error.what(), HasSubstr("{% generation %}"));
  }
}

TEST_F(ChatTemplateInFolder, PrefersFilesToTheTokenizerConfig) {
  EXPECT_THROW(ChatTemplate::load(folder_.path()), CheckpointError);
  EXPECT_FALSE(ChatTemplate::find(folder_.path()));
  write("tokenizer_config.json", R"({"chat_template": "config {{ bos_token }}", "bos_token": {"content": "<b>"}})");
  EXPECT_EQ(loaded(), "config <b>");
  write("tokenizer_config.json",
        R"({"chat_template": [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]})");
  EXPECT_EQ(loaded(), "d");
  EXPECT_EQ(loaded({.tools = "[]"}), "t");
  write("chat_template.jinja", "file");
  EXPECT_EQ(loaded({.tools = "[]"}), "file");
  write("additional_chat_templates/tool_use.jinja", "file for tools");
  EXPECT_EQ(loaded({.tools = "[]"}), "file for tools");
  EXPECT_EQ(loaded(), "file");
}

TEST_F(ChatTemplateInFolder, ErrorNamesFileAndLineOfAMalformedTemplate) {
  write("chat_template.jinja", "\n{% if %}");
  try {
    ChatTemplate::load(folder_.path());
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("chat_template.jinja, line 2"));
  }
}

// transformers does this before it renders.
TEST_F(ChatTemplateInFolder, DropsNullsAndNamesThoughtsTwice) {
  write("chat_template.jinja", "{{ messages[0] | tojson }}");
  const auto seen = [&](const char* message) {
    return ChatTemplate::load(folder_.path()).apply(Conversation::parse("[" + std::string(message) + "]"));
  };
  EXPECT_EQ(seen(R"({"role": "user", "content": null, "name": "x"})"), R"({"role": "user", "name": "x"})");
  EXPECT_EQ(seen(R"({"role": "user", "reasoning": "r"})"),
            R"({"thinking": "r", "role": "user", "reasoning": "r", "reasoning_content": "r"})");
}

TEST(Conversation, RefusesOtherJson) {
  for (const char* json : {"", "{}", "[1]", "[{}]", R"([{"role": 1}])", "[[", R"("text")"}) {
    EXPECT_THROW(Conversation::parse(json), DataError) << json;
  }
  EXPECT_THROW(Conversation::parse(std::string(1000, '[')), DataError);
}

TEST(Conversation, SplitsAndJoins) {
  const Conversation all = Conversation::parse(R"([{"role": "system"}, {"role": "user", "content": "a"}])");
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(all.first(1).size(), 1u);
  EXPECT_EQ(all.first(1).with(all).role(2), "user");
}

TEST(ChatDates, AreDaysOfTheCalendar) {
  const std::tm day = chat::time_of("2024-07-04");
  EXPECT_EQ(day.tm_wday, 4);
  EXPECT_EQ(day.tm_yday, 185);
  for (const char* text : {"2024-02-30", "today", "2024-7", "2024-07-04x", "04.07.2024"}) {
    EXPECT_THROW(chat::time_of(text), UsageError) << text;
  }
  EXPECT_NO_THROW(chat::time_of(chat::today()));
}

}  // namespace
}  // namespace portatune
