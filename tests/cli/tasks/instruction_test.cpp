// Instruction data by the real command: a tiny Llama learns what to answer, and answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

json message(const char* role, const std::string& content) { return {{"role", role}, {"content", content}}; }

// Two questions, each with its answer.
json question(int i) { return message("user", i % 2 == 0 ? "is it day?" : "say one"); }
json answer(int i) { return message("assistant", i % 2 == 0 ? "yes." : "one two"); }

std::string rows(int count, const auto& row) {
  std::string text;
  for (int i = 0; i < count; ++i) text += row(i).dump() + "\n";
  return text;
}
json conversation(int i) { return {{"messages", {question(i), answer(i)}}}; }

class Instructions : public testing::Test {
 protected:
  Instructions() {
    const fs::path data = PORTATUNE_TEST_DATA;
    fs::copy(data / "models/llama_lm", model());
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
      fs::copy_file(data / "chat/toy" / name, fs::path(model()) / name);
    }
    fs::copy_file(data / "chat/chatml.jinja", fs::path(model()) / "chat_template.jinja");
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string model() const { return file("llama"); }
  Words fit(const Words& more) const {
    return Words{"fit",      "--task",      "causal-lm",    "--model", model(),        "--train", file("train.jsonl"),
                 "--output", file("tuned"), "--batch-size", "8",       "--max-length", "32",      "--learning-rate",
                 "1e-2",     "--json"} +
           more;
  }
  const TemporaryFolder folder_;
};

TEST_F(Instructions, AnswersAreLearntAndGiven) {
  write(file("train.jsonl"), rows(64, conversation));
  write(file("validation.jsonl"), rows(6, conversation));
  const Finished run =
      portatune(fit({"--messages-column", "messages", "--validation", file("validation.jsonl"), "--epochs", "6"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["before"]["perplexity"], 20);
  EXPECT_LT(result["after"]["perplexity"], 1.2);

  const Words data = {"--model", file("tuned"),       "--data",  file("validation.jsonl"), "--max-length",
                      "32",      "--messages-column", "messages"};
  const Finished evaluation = portatune(Words{"evaluate", "--json"} + data);
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_EQ(scores_in(evaluation.out), result["after"]);

  // "yes", "." and the end; "one", " two" and the end.
  const Finished prediction = portatune(Words{"predict"} + data);
  ASSERT_EQ(prediction.exit_code, 0) << prediction.err;
  EXPECT_EQ(std::ranges::count(prediction.out, '\n'), 6);
  EXPECT_EQ(json::parse(prediction.out.substr(0, prediction.out.find('\n')))["labels"], 3);

  const Words chat = {"generate", "--model", file("tuned"), "--chat", "--eos-token-id", "5", "--max-new-tokens", "6"};
  const Finished said = portatune(chat + Words{"--prompt", "is it day?"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out, "yes.\n");

  write(file("asked.jsonl"), rows(2, [](int i) { return json{{"messages", {question(i)}}}; }));
  const Finished several = portatune(chat + Words{"--input", file("asked.jsonl")});
  ASSERT_EQ(several.exit_code, 0) << several.err;
  EXPECT_THAT(several.out, HasSubstr(R"("completion":"yes.")"));
  EXPECT_THAT(several.out, HasSubstr(R"("completion":"one two")"));
}

TEST_F(Instructions, CompletionsAreLearntAfterTheirPrompts) {
  write(
      file("train.jsonl"), rows(64, [](int i) {
        return json{{"prompt", question(i)["content"]}, {"completion", " " + answer(i)["content"].get<std::string>()}};
      }));
  const Finished run = portatune(
      fit({"--prompt-column", "prompt", "--completion-column", "completion", "--validation", file("train.jsonl")}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LT(json::parse(run.out)["after"]["perplexity"], 1.5);

  write(file("lists.jsonl"), rows(2, [](int i) {
          return json{{"prompt", {question(i)}}, {"completion", {answer(i)}}};
        }));
  const Finished prediction =
      portatune({"predict", "--model", file("tuned"), "--data", file("lists.jsonl"), "--max-length", "32",
               "--prompt-column", "prompt", "--completion-column", "completion"});
  ASSERT_EQ(prediction.exit_code, 0) << prediction.err;
  EXPECT_EQ(json::parse(prediction.out.substr(0, prediction.out.find('\n')))["labels"], 4);  // and a line feed
}

TEST_F(Instructions, RowsThatAreNoneAreNamed) {
  const auto refused = [&](const std::string& row) {
    write(file("train.jsonl"), rows(2, conversation) + row + "\n");
    const Finished run = portatune(fit({"--messages-column", "messages", "--epochs", "1"}));
    EXPECT_EQ(run.exit_code, 65) << run.err;
    EXPECT_THAT(run.err, HasSubstr("train.jsonl:3"));
    return run.err;
  };
  EXPECT_THAT(refused(R"({"messages": [{"role": "user", "content": "a"}]})"), HasSubstr("a message of the assistant"));
  EXPECT_THAT(refused(R"({"messages": "text"})"), HasSubstr("a list of messages"));
}

TEST_F(Instructions, WhatMakesNoSenseIsRefused) {
  write(file("train.jsonl"), rows(2, conversation));
  const Finished one = portatune(fit({"--prompt-column", "prompt"}));
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.err, HasSubstr("a column of messages, or one of prompts and one of completions"));
  const Finished lost = portatune({"generate", "--model", model(), "--prompt", "a", "--system", "b"});
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_THAT(lost.err, HasSubstr("--chat"));
  fs::remove(fs::path(model()) / "chat_template.jinja");
  const Finished bare = portatune(fit({"--messages-column", "messages"}));
  EXPECT_EQ(bare.exit_code, 65);
  EXPECT_THAT(bare.err, HasSubstr("no chat template"));
}

}  // namespace
}  // namespace portatune::cli
