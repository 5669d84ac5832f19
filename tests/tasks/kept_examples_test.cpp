// TextTask::keep_examples() changes no batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/data/example_bytes.h"
#include "portatune/data/example_memory.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/multiple_choice.h"
#include "portatune/tasks/question_answering.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/tasks/text_task.h"
#include "portatune/tasks/token_classification.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using Labels = RowTask::Labels;
using TextColumns = std::vector<std::pair<std::string, std::string>>;

data::Dataset rows_of(const std::vector<TextColumns>& table) {
  const auto file = std::make_shared<const std::string>("rows.csv");
  std::vector<data::Example> rows;
  for (const TextColumns& columns : table) {
    data::Example& row = rows.emplace_back(data::Origin{file, std::ssize(rows) + 2});
    for (const auto& [name, value] : columns) row.set(name, value);
  }
  return data::from_examples(std::move(rows));
}

// The batches of two epochs of training and of two evaluations, with and without labels.
std::string all_batches(const RowTask& task, const data::Dataset& rows) {
  std::string bytes;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    for (const data::Dataset& batches : {task.training_batches(rows, 2, {.buffer = 3, .seed = 5}),
                                         task.batches(rows, 2), task.batches(rows, 2, Labels::kIgnored)}) {
      for (const data::Example& batch : batches.iterate(epoch)) append_bytes(bytes, batch);
    }
  }
  return bytes;
}

void expect_equal_batches(RowTask& task, const data::Dataset& rows) {
  auto& texts = dynamic_cast<TextTask&>(task);
  const std::string expected = all_batches(task, rows);
  ASSERT_FALSE(expected.empty());
  const auto memory = std::make_shared<data::ExampleMemory>(1 << 20);
  texts.keep_examples(memory);
  EXPECT_EQ(all_batches(task, rows), expected);
  const int64_t kept = memory->bytes();
  EXPECT_GT(kept, 0);
  EXPECT_EQ(all_batches(task, rows), expected);
  EXPECT_EQ(memory->bytes(), kept);
  texts.keep_examples(std::make_shared<data::ExampleMemory>(kept / 2));
  EXPECT_EQ(all_batches(task, rows), expected);
}

TEST(KeptExamples, AreThoseOfTextClassification) {
  TextClassification task(kTinyBert, {.max_length = 8, .labels = {"bad", "good"}});
  expect_equal_batches(task, rows_of({{{"text", "the film was good"}, {"label", "good"}},
                                      {{"text", "bad"}, {"label", "bad"}},
                                      {{"text", "bad"}, {"label", "bad"}}}));
}

TEST(KeptExamples, AreThoseOfTokenClassification) {
  TokenClassification task(kTinyBert, {.max_length = 8, .labels = {"B", "O"}});
  expect_equal_batches(task, rows_of({{{"tokens", R"(["the", "film"])"}, {"ner_tags", R"(["O", "B"])"}},
                                      {{"tokens", R"(["bad"])"}, {"ner_tags", R"(["O"])"}}}));
}

TEST(KeptExamples, AreTheWindowsOfQuestionAnswering) {
  QuestionAnswering task(kTinyBert, {.max_length = 10, .doc_stride = 2});
  const std::string answers = R"({"text": ["good"], "answer_start": [13]})";
  expect_equal_batches(task, rows_of({{{"id", "1"},
                                       {"question", "was it good"},
                                       {"context", "the film was good. the book was bad."},
                                       {"answers", answers}}}));
}

TEST(KeptExamples, AreThoseOfMultipleChoice) {
  const auto task = multiple_choice(kTinyBert, {.context_column = "q", .endings_column = "c", .max_length = 8});
  expect_equal_batches(*task, rows_of({{{"q", "the film"}, {"c", R"(["was good", "was bad"])"}, {"label", "1"}}}));
}

TEST(KeptExamples, AreThoseOfMaskedLanguageModels) {
  const std::vector<TextColumns> table = {{{"text", "the film was good"}}, {{"text", "bad"}}, {{"text", "it was"}}};
  expect_equal_batches(*masked_lm(kTinyBert, {.max_length = 6, .whole_words = true}), rows_of(table));
}

TEST(KeptExamples, AreTheTextsOfBlocks) {
  const TemporaryFolder model;
  std::filesystem::copy(PORTATUNE_TEST_DATA "/models/gpt2_lm", model.path());
  for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(kTinyBert / file, model / file);
  }
  const std::vector<TextColumns> table = {{{"text", "the film was good"}}, {{"text", "bad"}}, {{"text", "it was"}}};
  expect_equal_batches(*causal_lm(model.path(), {.block_size = 3}), rows_of(table));
}

}  // namespace
}  // namespace portatune::test
