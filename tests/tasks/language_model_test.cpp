#include "portatune/tasks/metrics/language_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/objectives/objectives.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

// -log softmax(x)[label] and its gradient, softmax(x) - one_hot(label), in double precision.
double cross_entropy(std::span<const float> x, int32_t label, double weight, std::span<double> gradient) {
  double total = 0;
  for (const float logit : x) total += std::exp(static_cast<double>(logit));
  for (size_t k = 0; k < x.size(); ++k) {
    gradient[k] = weight * (std::exp(static_cast<double>(x[k])) / total - (static_cast<int32_t>(k) == label ? 1 : 0));
  }
  return weight * (std::log(total) - x[static_cast<size_t>(label)]);
}

TEST(LanguageModel, LossAndItsGradientAreThoseOfSoftmaxCrossEntropy) {
  const Tensor logits = random(TensorType{DType::kFloat32, {2, 4, 5}});
  const std::vector<int32_t> labels = {3, -100, 0, 4, -100, -100, 1, 2};
  const Value x = parameter("logits", logits.type());
  const Forward f =
      tasks::language_modelling(x, constant(Tensor({2, 4}, std::span(labels))), constant(Tensor({2}, {1.0f, 0.5f})));
  const auto found = evaluate({f.loss_sum, f.weight_sum, gradients(f.loss_sum, Values{x})[0]}, {x}, {logits});

  double loss = 0;
  std::vector<double> gradient(40);
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    loss += cross_entropy(logits.as<float>().subspan(5 * i, 5), labels[i], i < 4 ? 1 : 0.5,
                          std::span(gradient).subspan(5 * i, 5));
  }
  EXPECT_NEAR(found[0].as<float>()[0], loss, 1e-5);
  EXPECT_EQ(found[1].as<float>()[0], 4);  // three labels, and two of half the weight
  for (size_t k = 0; k < gradient.size(); ++k) EXPECT_NEAR(found[2].as<float>()[k], gradient[k], 1e-6);
}

TEST(LanguageModel, CountsPredictedTokens) {
  const Value logits = constant(Tensor({1, 3, 2}, {0.0f, 1.0f, 2.0f, 0.0f, 5.0f, 0.0f}));
  const Value labels = constant(Tensor({1, 3}, {1, 1, -100}));
  const Forward f = tasks::language_modelling(logits, labels, constant(Tensor({1}, {1.0f})));
  const std::vector<Tensor> found = evaluate({f.outputs[0].second, f.outputs[1].second, f.outputs[2].second});
  EXPECT_NEAR(found[0].as<float>()[0], std::log1p(std::exp(-1.0)) + std::log1p(std::exp(2.0)), 1e-6);
  EXPECT_EQ(found[1].as<float>()[0], 1);
  EXPECT_EQ(found[2].as<float>()[0], 2);
}

data::Example outputs_of(std::initializer_list<float> loss, std::initializer_list<float> hits,
                         std::initializer_list<float> labels) {
  const Shape rows{static_cast<int64_t>(loss.size())};
  data::Example outputs;
  outputs.set("loss", Tensor(rows, loss)).set("hits", Tensor(rows, hits)).set("labels", Tensor(rows, labels));
  return outputs;
}

TEST(LanguageModelMetrics, ArePerLabelWithoutPaddingRows) {
  tasks::LanguageModelMetrics metrics;
  data::Example batch;
  batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 0.0f}));
  metrics.update(batch, outputs_of({6, 100}, {1, 50}, {4, 50}));
  batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 1.0f}));
  metrics.update(batch, outputs_of({2, 0}, {2, 0}, {4, 0}));
  const Scores scores = metrics.result();
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].first, "perplexity");
  EXPECT_NEAR(scores[0].second, std::exp(1.0), 1e-12);
  EXPECT_EQ(scores[1].first, "accuracy");
  EXPECT_NEAR(scores[1].second, 3.0 / 8, 1e-12);
}

TEST(LanguageModelMetrics, AreEmptyWithoutLabels) { EXPECT_TRUE(tasks::LanguageModelMetrics().result().empty()); }

data::Example only_batch(const RowTask& task, const std::vector<data::Example>& rows, int64_t size) {
  data::Cursor cursor = task.batches(data::from_examples(rows), size).iterate();
  data::Example batch = *cursor.next();
  EXPECT_FALSE(cursor.next());
  return batch;
}

// Ids as in text_classification_test.cpp: good 5, bad 9, film 15, [CLS] 2, [SEP] 3, padding 0.
TEST(MaskedLm, SpecialTokensAndPaddingHaveNoWord) {
  const auto task = masked_lm(kTinyBert, {.max_length = 6});
  const data::Example batch = only_batch(*task, {sentence("good film", "")}, 1);
  EXPECT_THAT(ints(batch, "input_ids"), ElementsAre(2, 5, 15, 3, 0, 0));
  EXPECT_THAT(ints(batch, "words"), ElementsAre(-1, 1, 2, -1, -1, -1));
  for (const std::string& name : task->inputs()) EXPECT_TRUE(batch.has(name)) << name;
}

TEST(MaskedLm, MasksDependOnFileAndRow) {
  const auto task = masked_lm(kTinyBert, {.max_length = 6});
  const auto row = [](const char* file, int64_t number) {
    data::Example example({std::make_shared<const std::string>(file), number});
    return example.set("text", std::string("good film"));
  };
  const auto seeds =
      ints(only_batch(*task, {row("a/1.txt", 7), row("a/2.txt", 7), row("a/1.txt", 8), row("b/1.txt", 7)}, 4), "seeds");
  EXPECT_NE(seeds[0], seeds[1]);
  EXPECT_NE(seeds[0], seeds[2]);
  EXPECT_EQ(seeds[0], seeds[3]);  // the folder may have moved
}

// Documents "good", "fine", "great" and "bad", "poor": ids 5, 6, 7 and 9, 10.
std::vector<data::Example> two_documents() {
  std::vector<data::Example> rows;
  for (const char* text : {" ", "good", "fine", "great", "", " ", "bad", "poor"}) rows.push_back(sentence(text, ""));
  return rows;
}

TEST(NextSentence, DrawsSuccessorsAndSentencesOfOtherDocuments) {
  const auto task = masked_lm(kTinyBert, {.max_length = 5, .next_sentence = true});
  const data::Dataset rows = data::from_examples(two_documents());
  EXPECT_EQ(task->examples(rows).count(), 3);  // good fine, fine great, bad poor
  const data::Dataset batches = task->batches(rows, 3);
  int follow = 0, pairs = 0;
  for (int64_t epoch = 0; epoch < 100; ++epoch) {
    data::Cursor cursor = batches.iterate(epoch);
    const data::Example batch = *cursor.next();
    const std::vector<int32_t> ids = ints(batch, "input_ids"), labels = ints(batch, "next_sentence_label");
    for (size_t row = 0; row < 3; ++row, ++pairs) {
      const int32_t first = ids[5 * row + 1], second = ids[5 * row + 3];  // [CLS] first [SEP] second [SEP]
      if (labels[row] == 0) {
        EXPECT_EQ(second, first + 1);
        ++follow;
      } else {
        EXPECT_NE(second < 8, first < 8) << first << " " << second;
      }
    }
  }
  EXPECT_NEAR(follow, pairs / 2.0, 4 * std::sqrt(pairs / 4.0));
}

TEST(NextSentence, NeedsTwoDocumentsWithPairs) {
  const auto task = masked_lm(kTinyBert, {.max_length = 5, .next_sentence = true});
  const auto count = [&](const std::vector<data::Example>& rows) {
    return task->examples(data::from_examples(rows)).count();
  };
  EXPECT_THROW(count({sentence("good", ""), sentence("fine", "")}), DataError);
  EXPECT_THROW(count({sentence("good", ""), sentence("", ""), sentence("fine", "")}), DataError);
}

TEST(NextSentence, LossesAreAddedAsTransformersDoes) {
  const Value weights = constant(Tensor({2}, {1.0f, 1.0f}));
  const Forward lm{.loss_sum = constant(Tensor({}, {6.0f})), .weight_sum = constant(Tensor({}, {4.0f})), .outputs = {}};
  const Value logits = constant(Tensor({2, 2}, {1.0f, 1.0f, 0.0f, 3.0f}));
  const Forward f = tasks::with_next_sentence(lm, logits, constant(Tensor({2}, {0, 0})), weights);
  const std::vector<Tensor> found = evaluate({f.loss_sum / f.weight_sum, f.outputs[0].second});
  EXPECT_NEAR(found[0].as<float>()[0], 6.0 / 4 + (std::log(2.0) + std::log1p(std::exp(3.0))) / 2, 1e-6);
  EXPECT_EQ(found[1].as<float>()[0], 1);
  EXPECT_EQ(found[1].as<float>()[1], 0);
}

TEST(MaskedLm, RejectsInvalidOptions) {
  EXPECT_THROW(masked_lm(kTinyBert, {.max_length = 6, .mlm_probability = 0}), UsageError);
  EXPECT_THROW(masked_lm(kTinyBert, {.max_length = 6, .mlm_probability = 1}), UsageError);
}

// A decoder with the tokenizer of the tiny BERT.
class CausalLm : public ::testing::Test {
 protected:
  CausalLm() {
    std::filesystem::copy(std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / "gpt2_lm", folder_.path());
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
      std::filesystem::copy_file(kTinyBert / file, folder_ / file);
    }
  }
  const TemporaryFolder folder_;
};

TEST_F(CausalLm, JoinsTextsAndCutsThemIntoBlocks) {
  const auto task = causal_lm(folder_.path(), {.block_size = 5, .rows_are_lines = true});
  const data::Example batch = only_batch(*task, {sentence("good film", ""), sentence("bad", "")}, 2);
  // [CLS] good film [SEP] [CLS] | bad [SEP]
  EXPECT_THAT(ints(batch, "input_ids"), ElementsAre(2, 5, 15, 3, 2, 9, 3, 0, 0, 0));
  EXPECT_THAT(ints(batch, "labels"), ElementsAre(2, 5, 15, 3, 2, 9, 3, -100, -100, -100));
  EXPECT_THAT(ints(batch, "attention_mask"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 0, 0, 0));
  EXPECT_EQ(task->examples(data::from_examples({sentence("good film", ""), sentence("bad", "")})).count(), 2);
}

TEST_F(CausalLm, RejectsAnEncoder) {
  const auto task = causal_lm(kTinyBert, {.block_size = 5});
  Columns columns;
  for (const std::string& name : task->inputs()) {
    columns.emplace(name, name == data::kExampleWeight ? parameter(name, {DType::kFloat32, {2}})
                                                       : parameter(name, {DType::kInt32, {2, 5}}));
  }
  nn::Context context({});
  EXPECT_THROW(task->forward(nn::Scope(context), columns), UsageError);
}

}  // namespace
}  // namespace portatune::test
