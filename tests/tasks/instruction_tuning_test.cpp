#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/language_models.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class InstructionTuning : public testing::Test {
 protected:
  InstructionTuning() {
    const fs::path data = PORTATUNE_TEST_DATA;
    for (const char* name : {"config.json", "model.safetensors"}) {
      fs::copy_file(data / "models/llama_lm" / name, folder_.path() / name);
    }
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
      fs::copy_file(data / "chat/toy" / name, folder_.path() / name);
    }
  }
  std::unique_ptr<RowTask> task(int64_t max_length) const {
    return instruction_tuning(folder_.path(),
                              {.prompt_column = "p", .completion_column = "c", .max_length = max_length});
  }
  const TemporaryFolder folder_;
};

// Lengths are those of the golden file of labels: "<s>is it day?" is 5 tokens, " yes.</s>" 3; "say</s>" 2, and so on.
const data::Dataset kRows = data::from_examples({
    data::Example().set("p", "is it day?").set("c", " yes."),
    data::Example().set("p", "").set("c", "yes"),
});

std::vector<int32_t> column(const data::Example& batch, const char* name) {
  const auto values = batch.tensor(name).as<int32_t>();
  return {values.begin(), values.end()};
}

TEST_F(InstructionTuning, ExamplesAreCutAndPadded) {
  const std::unique_ptr<RowTask> wide = task(8);
  const auto batch = *wide->batches(kRows, 2).iterate().next();
  EXPECT_THAT(column(batch, "input_ids"), ElementsAre(1, 78, 73, 76, 14, 80, 10, 2, 1, 79, 2, 0, 0, 0, 0, 0));
  EXPECT_THAT(column(batch, "attention_mask"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(column(batch, "labels"),
              ElementsAre(-100, -100, -100, -100, -100, 80, 10, 2, -100, 79, 2, -100, -100, -100, -100, -100));
  const std::unique_ptr<RowTask> narrow = task(6);
  EXPECT_THAT(column(*narrow->batches(kRows, 1).iterate().next(), "labels"),
              ElementsAre(-100, -100, -100, -100, -100, 80));
}

TEST_F(InstructionTuning, TrainingSkipsRowsWithNothingToLearn) {
  EXPECT_EQ(task(8)->examples(kRows).count(), 2);
  const std::unique_ptr<RowTask> narrow = task(5);  // the length of the first prompt
  EXPECT_EQ(narrow->examples(kRows).count(), 1);
  const auto batch = *narrow->training_batches(kRows, 1, {.buffer = 2}).iterate().next();
  EXPECT_THAT(column(batch, "labels"), ElementsAre(-100, 79, 2, -100, -100));
  // Predictions have a line for each row nevertheless.
  EXPECT_EQ(narrow->batches(kRows, 1).iterate().skip(100), 2);
}

TEST_F(InstructionTuning, SettingsHaveEverythingThatChangesExamples) {
  const auto settings = [&](const InstructionOptions& given) {
    InstructionOptions options = given;
    options.max_length = 32;
    options.chat_template = fs::path(PORTATUNE_TEST_DATA) / "chat" / "chatml.jinja";
    return instruction_tuning(folder_.path(), options)->settings();
  };
  const auto plain = settings({.prompt_column = "p", .completion_column = "c"});
  EXPECT_NE(settings({.prompt_column = "p", .completion_column = "c", .input_column = "i"}), plain);
  EXPECT_NE(settings({.prompt_column = "p", .completion_column = "c", .as_messages = true}), plain);
}

TEST_F(InstructionTuning, SettingsHaveTheDateOfATemplateThatUsesIt) {
  const auto settings = [&](const char* text, const std::string& date) {
    const fs::path file = fs::path(PORTATUNE_TEST_DATA) / "chat" / text;
    InstructionOptions options{.messages_column = "m", .chat_template = file};
    options.max_length = 32;
    options.chat.date = date;
    return instruction_tuning(folder_.path(), options)->settings();
  };
  EXPECT_EQ(settings("headers.jinja", "2024-07-04").at("chat_date"), "2024-07-04");
  EXPECT_NE(settings("headers.jinja", "").at("chat_date"), "");
  EXPECT_EQ(settings("chatml.jinja", "2024-07-04").count("chat_date"), 0u);
}

}  // namespace
}  // namespace portatune
