// Packed batches of every task: loss, gradients of all weights and outputs equal those of single examples without
// padding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/multiple_choice.h"
#include "portatune/tasks/question_answering.h"
#include "portatune/tasks/replaced_token_detection.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/tasks/text_to_text.h"
#include "portatune/tasks/token_classification.h"
#include "tasks/case_with_tokenizer.h"
#include "tasks/sentences.h"
#include "tasks/toy_seq2seq.h"

namespace portatune::test {
namespace {

constexpr int64_t kTextLength = 24;

struct PackedSums {
  double loss = 0, weight = 0;
  std::map<std::string, std::vector<double>> gradients;  // of the loss, by parameter
};

std::vector<double> numbers(const Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

// Sums over the examples of a batch, without dropout, with weights so large that texts differ.
PackedSums compute_sums(const Task& task, const data::Example& batch, const Device& device) {
  Columns columns;
  Values parameters;
  std::vector<Tensor> values;
  std::vector<std::string> names = task.inputs();
  for (const std::string& name : task.optional_inputs()) {
    if (batch.has(name)) names.push_back(name);
  }
  for (const std::string& name : names) {
    values.push_back(batch.tensor(name));
    parameters.push_back(parameter(name, values.back().type()));
    columns.emplace(name, parameters.back());
  }
  nn::Context context({});
  const Forward forward = task.forward(nn::Scope(context), columns);
  const std::vector<nn::Parameter> weights(context.parameters().begin(), context.parameters().end());
  Values of_weights;
  for (const nn::Parameter& weight : weights) of_weights.push_back(weight.value);
  Values results = {forward.loss_sum, forward.weight_sum};
  for (const Value& gradient : gradients(forward.loss_sum, of_weights)) results.push_back(gradient);
  parameters.insert(parameters.end(), of_weights.begin(), of_weights.end());
  for (size_t i = 0; i < of_weights.size(); ++i) {
    values.push_back(random(of_weights[i].type(), static_cast<uint32_t>(i) + 1));
  }
  const std::vector<Tensor> found = evaluate(results, parameters, values, device);
  PackedSums computed{.loss = numbers(found[0])[0], .weight = numbers(found[1])[0], .gradients = {}};
  for (size_t i = 0; i < weights.size(); ++i) computed.gradients[weights[i].name] = numbers(found[2 + i]);
  return computed;
}

// A batch [1, length] of one text; arrays of tokens lose their padding.
data::Example without_padding(const data::Example& batch) {
  const Tensor& mask = batch.tensor("attention_mask");
  if (mask.shape().rank() != 2) return batch;
  const int64_t tokens = std::ranges::count(mask.as<int32_t>(), 1);
  data::Example cut = batch;
  for (const data::Example::Entry& column : batch.columns()) {
    const Tensor* tensor = std::get_if<Tensor>(&column.value);
    if (tensor == nullptr || tensor->type() != mask.type()) continue;
    cut.set(column.name, Tensor({1, tokens}, tensor->as<int32_t>().first(static_cast<size_t>(tokens))));
  }
  return cut;
}

PackedSums one_by_one(const RowTask& task, const data::Dataset& rows) {
  PackedSums sum;
  for (const data::Example& batch : task.batches(rows, 1).iterate()) {
    const PackedSums one = compute_sums(task, without_padding(batch), decompositions());
    sum.loss += one.loss;
    sum.weight += one.weight;
    for (const auto& [name, gradient] : one.gradients) {
      std::vector<double>& total = sum.gradients[name];
      total.resize(gradient.size());
      for (size_t i = 0; i < gradient.size(); ++i) total[i] += gradient[i];
    }
  }
  return sum;
}

void expect_equal(const PackedSums& found, const PackedSums& wanted) {
  EXPECT_NEAR(found.weight, wanted.weight, 1e-5 * wanted.weight);
  EXPECT_NEAR(found.loss, wanted.loss, 1e-5 * std::abs(wanted.loss));
  ASSERT_EQ(found.gradients.size(), wanted.gradients.size());
  double largest_of_all = 0;
  for (const auto& [name, gradient] : wanted.gradients) {
    for (const double element : gradient) largest_of_all = std::max(largest_of_all, std::abs(element));
  }
  for (const auto& [name, gradient] : wanted.gradients) {
    // Some gradients, such as those of the keys' biases, are zero except for rounding.
    double largest = 5e-2 * largest_of_all, error = 0;
    for (size_t i = 0; i < gradient.size(); ++i) {
      largest = std::max(largest, std::abs(gradient[i]));
      error = std::max(error, std::abs(gradient[i] - found.gradients.at(name)[i]));
    }
    EXPECT_LT(error, 2e-5 * largest) << name;
  }
}

// All examples in one batch of two rows, with room for more.
void expect_packed_equals_unpacked(const RowTask& task, const std::vector<data::Example>& rows,
                                   int64_t number_of_rows = 2) {
  const data::Dataset dataset = data::from_examples(rows);
  const data::PackedShapes shapes{.examples = std::ssize(rows) + 2,
                                  .rows = {number_of_rows},
                                  .length = kTextLength,
                                  .window = std::ssize(rows) + 2};
  data::Cursor cursor = task.packed_batches(dataset, shapes, {.buffer = 1}).iterate();
  const data::Example batch = *cursor.next();
  ASSERT_FALSE(cursor.next()) << "does not fit into one batch";
  ASSERT_EQ(batch.tensor("input_ids").shape(), (Shape{number_of_rows, kTextLength}));
  const PackedSums wanted = one_by_one(task, dataset);
  EXPECT_GT(wanted.weight, 0);
  expect_equal(compute_sums(task, batch, decompositions()), wanted);
  expect_equal(compute_sums(task, batch, kernels()), wanted);
}

const std::vector<data::Example> kSentences = {sentence("the film was very good and we liked it", "good"),
                                               sentence("bad", "bad"), sentence("a quite dreary story", "bad"),
                                               sentence("lovely music", "good"), sentence("the end was awful", "bad")};

TEST(PackedTextClassification, EqualsUnpacked) {
  const TextClassification task(kTinyBert,
                                {.max_length = kTextLength, .head = Head::kSoftmax, .labels = {"bad", "good"}});
  expect_packed_equals_unpacked(task, kSentences);
}

TEST(PackedTextClassification, OfPairsEqualsUnpacked) {
  std::vector<data::Example> rows = kSentences;
  for (data::Example& row : rows) row.set("pair", std::string("it was fine"));
  const TextClassification task(
      kTinyBert,
      {.text_pair_column = "pair", .max_length = kTextLength, .head = Head::kSoftmax, .labels = {"bad", "good"}});
  expect_packed_equals_unpacked(task, rows, 3);
}

TEST(PackedTextClassification, OfARegressionEqualsUnpacked) {
  std::vector<data::Example> rows = kSentences;
  for (size_t i = 0; i < rows.size(); ++i) rows[i].set("label", std::to_string(0.3 * static_cast<double>(i)));
  expect_packed_equals_unpacked(TextClassification(kTinyBert, {.max_length = kTextLength, .head = Head::kRegression}),
                                rows);
}

TEST(PackedTokenClassification, EqualsUnpacked) {
  std::vector<data::Example> rows;
  for (const auto& [tokens, tags] : {std::pair(R"(["the", "film", "was", "good"])", R"(["O", "A", "O", "B"])"),
                                     {R"(["bad"])", R"(["B"])"},
                                     {R"(["we", "saw", "a", "lovely", "play"])", R"(["A", "O", "O", "B", "A"])"}}) {
    rows.push_back(data::Example().set("tokens", std::string(tokens)).set("tags", std::string(tags)));
  }
  const TokenClassification task(
      kTinyBert,
      {.tokens_column = "tokens", .tags_column = "tags", .max_length = kTextLength, .labels = {"A", "B", "O"}});
  expect_packed_equals_unpacked(task, rows, 1);
}

TEST(PackedReplacedTokenDetection, EqualsUnpacked) {
  const TemporaryFolder folder;
  write_case_with_tokenizer(folder / "electra", "electra_pretraining");
  std::vector<data::Example> rows;
  for (const auto& [tokens, replaced] : {std::pair(R"(["the", "film-play", "was", "good"])", "[0, 1, 0, 1]"),
                                         {R"(["bad"])", "[1]"},
                                         {R"(["we", "saw", "a", "lovely", "play"])", "[0, 0, 0, 0, 1]"}}) {
    rows.push_back(data::Example().set("tokens", std::string(tokens)).set("replaced", std::string(replaced)));
  }
  expect_packed_equals_unpacked(*replaced_token_detection(folder / "electra", {.max_length = kTextLength}), rows, 1);
}

TEST(PackedQuestionAnswering, EqualsUnpacked) {
  const auto row = [](const char* question, const char* context, const char* answers) {
    return data::Example()
        .set("id", std::string("q"))
        .set("question", std::string(question))
        .set("context", std::string(context))
        .set("answers", std::string(answers));
  };
  const std::vector<data::Example> rows = {
      row("the film", "it was good", R"({"text": ["good"], "answer_start": [7]})"),
      row("bad", "we saw the dreary end of it", R"({"text": ["the dreary"], "answer_start": [7]})"),
      row("music", "the story", R"({"text": [], "answer_start": []})")};
  expect_packed_equals_unpacked(QuestionAnswering(kTinyBert, {.max_length = kTextLength, .doc_stride = 4}), rows);
}

TEST(PackedMultipleChoice, EqualsUnpacked) {
  const auto row = [](const char* first, const char* ending, const char* label) {
    return data::Example()
        .set("sent1", std::string(first))
        .set("sent2", std::string("it"))
        .set("ending0", std::string(ending))
        .set("ending1", std::string("was the end of the story"))
        .set("label", std::string(label));
  };
  const auto task = multiple_choice(kTinyBert, {.ending_columns = {"ending0", "ending1"}, .max_length = kTextLength});
  expect_packed_equals_unpacked(
      *task, {row("we saw the film", "is bad", "0"), row("good", "was", "1"), row("they thought", "is very fine", "1")},
      3);
}

TEST(PackedMaskedLm, EqualsUnpacked) {
  expect_packed_equals_unpacked(*masked_lm(kTinyBert, {.max_length = kTextLength, .mlm_probability = 0.5}), kSentences);
}

TEST(PackedInstructionTuning, EqualsUnpacked) {
  const TemporaryFolder folder;
  const std::filesystem::path data = PORTATUNE_TEST_DATA;
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::copy_file(data / "models/llama_lm" / name, folder.path() / name);
  }
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(data / "chat/toy" / name, folder.path() / name);
  }
  const auto task =
      instruction_tuning(folder.path(), {.prompt_column = "p", .completion_column = "c", .max_length = kTextLength});
  std::vector<data::Example> rows;
  for (const auto& [prompt, completion] :
       {std::pair("is it day?", " yes."), {"", "yes"}, {"say", " no"}, {"say yes", " it is"}}) {
    rows.push_back(data::Example().set("p", std::string(prompt)).set("c", std::string(completion)));
  }
  expect_packed_equals_unpacked(*task, rows);
}

std::vector<data::Example> pairs_of_letters() {
  std::vector<data::Example> rows;
  for (const auto& [source, target] :
       {std::pair("a b c d a b", "d"), {"c", "a b c d"}, {"b b", "a"}, {"d c b a d", "b c a"}}) {
    rows.push_back(data::Example().set("text", std::string(source)).set("target", std::string(target)));
  }
  return rows;
}

TEST(PackedTextToText, EqualsUnpacked) {
  const TemporaryFolder folder;
  write_toy_bart(folder.path(), {"a", "b", "c", "d"});
  // A row of 24 source positions has 8 positions of targets beside it.
  const auto task = text_to_text(
      folder.path(),
      {.text_column = "text", .target_column = "target", .max_length = kTextLength, .max_target_length = 8});
  expect_packed_equals_unpacked(*task, pairs_of_letters(), 3);
}

class PackedTextToTextOf : public ::testing::TestWithParam<const char*> {};

TEST_P(PackedTextToTextOf, EqualsUnpacked) {
  const TemporaryFolder folder;
  const std::filesystem::path data = PORTATUNE_TEST_DATA;
  std::filesystem::copy_file(data / "models" / GetParam() / "config.json", folder / "config.json");
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "vocab.txt"}) {
    std::filesystem::copy_file(data / "tiny_bert" / name, folder / name);
  }
  const auto task = text_to_text(
      folder.path(),
      {.text_column = "text", .target_column = "target", .max_length = kTextLength, .max_target_length = 12});
  expect_packed_equals_unpacked(*task, pairs_of_letters());
}

INSTANTIATE_TEST_SUITE_P(Models, PackedTextToTextOf, ::testing::Values("mbart_lm", "t5_lm"),
                         [](const auto& info) { return info.param; });

TEST(PackedTextToText, CountsTokensOfBothSides) {
  const TemporaryFolder folder;
  write_toy_bart(folder.path(), {"a", "b", "c", "d"});
  const auto task = text_to_text(
      folder.path(),
      {.text_column = "text", .target_column = "target", .max_length = kTextLength, .max_target_length = 12});
  const data::PackedShapes shapes{.examples = 4, .rows = {2}, .length = kTextLength, .window = 4};
  const data::Example batch =
      *task->packed_batches(data::from_examples(pairs_of_letters()), shapes, {.buffer = 1}).iterate().next();
  EXPECT_EQ(task->tokens(batch).real, (8 + 3 + 4 + 7) + (3 + 6 + 3 + 5));
  EXPECT_EQ(task->tokens(batch).positions, 2 * (kTextLength + 12));
}

TEST(Packing, CountsTokensAndPositions) {
  const TextClassification task(kTinyBert,
                                {.max_length = kTextLength, .head = Head::kSoftmax, .labels = {"bad", "good"}});
  const data::PackedShapes shapes{.examples = 5, .rows = {2}, .length = kTextLength, .window = 5};
  const data::Example batch =
      *task.packed_batches(data::from_examples(kSentences), shapes, {.buffer = 1}).iterate().next();
  EXPECT_EQ(task.tokens(batch).real, 9 + 1 + 4 + 2 + 4 + 5 * 2);
  EXPECT_EQ(task.tokens(batch).positions, 2 * kTextLength);
}

TEST(Packing, RejectsTasksThatCannotBePacked) {
  const data::Dataset rows = data::from_examples(kSentences);
  data::PackedShapes shapes{.examples = 5, .rows = {2}, .length = kTextLength, .window = 5};
  const auto blocks = causal_lm(std::filesystem::path(PORTATUNE_TEST_DATA) / "tiny_bert", {.block_size = kTextLength});
  EXPECT_THROW(blocks->packed_batches(rows, shapes, {.buffer = 1}), UsageError);
  shapes.length = kTextLength + 1;
  const TextClassification task(kTinyBert,
                                {.max_length = kTextLength, .head = Head::kSoftmax, .labels = {"bad", "good"}});
  EXPECT_THROW(task.packed_batches(rows, shapes, {.buffer = 1}), UsageError);
}

}  // namespace
}  // namespace portatune::test
