// Encoder-decoder models: shifted labels, decoding with caches, and packed pairs of texts. parity_test.cpp compares the
// models with transformers.
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "portatune/analysis/parity/reference_task.h"

namespace portatune::test {
namespace {

using models::EncodedSource;
using models::KeyValueCache;
using models::Seq2Seq;
using models::TextInputs;

constexpr int32_t kPrompts = 2, kSource = 6, kTarget = 5, kPrefix = 2, kTargetCacheLength = 8;

Value ints(const Shape& shape, const std::vector<int32_t>& values) {
  return constant(Tensor(shape, std::span<const int32_t>(values)));
}

// Two sources; the second is padded.
TextInputs sources() {
  return {.input_ids = ints({kPrompts, kSource}, {5, 17, 33, 99, 42, 2, 64, 23, 11, 2, 1, 1}),
          .attention_mask = ints({kPrompts, kSource}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0})};
}

std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

class Seq2SeqOf : public ::testing::TestWithParam<const char*> {
 protected:
  const Seq2Seq& body() const { return *model_->seq2seq(); }
  EncodedSource encoded() const { return {body().encoder_states(root_, sources()).back(), sources().attention_mask}; }

  // The results with the weights of the case.
  std::vector<Tensor> values_of(const Values& results, const Device& device) const {
    const std::vector<nn::Parameter> parameters(context_.parameters().begin(), context_.parameters().end());
    Values arguments;
    for (const nn::Parameter& parameter : parameters) arguments.push_back(parameter.value);
    const InitialWeights weights = parity::ReferenceTask(reference_).initial_weights(parameters, 0);
    return evaluate(results, arguments, weights.values, device);
  }

  void expect_same(const Value& found, const Value& wanted, double tolerance = 2e-5) const {
    for (const Device* device : {&decompositions(), &kernels()}) {
      const std::vector<Tensor> results = values_of({found, wanted}, *device);
      ASSERT_EQ(results[0].shape(), results[1].shape());
      const std::vector<float> a = floats(results[0]), b = floats(results[1]);
      for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
    }
  }

  const parity::ReferenceCase reference_{case_folder(GetParam())};
  const std::unique_ptr<const models::TextModel> model_ = models::text_model(reference_.model().config());
  nn::Context context_{{}};
  const nn::Scope root_{context_};
};

// Tokens begin..end-1 of targets [rows, kTarget]. Their mask covers the cache if they are not the first.
TextInputs part_of_target(const Value& ids, int32_t begin, int32_t end) {
  const int64_t rows = ids.shape()[0];
  const TensorType position{DType::kInt32, {rows, kTarget}};
  const Value ones = full({DType::kInt32, {rows, end}}, 1);
  return {.input_ids = slice(ids, 1, {begin, end}),
          .attention_mask = begin == 0 ? ones : pad(ones, 1, 0, kTargetCacheLength - end),
          .position_ids = slice(iota(position, 1), 1, {begin, end})};
}

// The last states of all tokens of the targets: the first kPrefix at once, the others one by one.
Value decode(const Seq2Seq& body, const nn::Scope& root, const EncodedSource& source, const Value& ids) {
  const models::CrossCache cross = body.cross_cache(root, source);
  KeyValueCache cache = body.empty_cache(ids.shape()[0], kTargetCacheLength, DType::kFloat32);
  Values x{body.next_hidden_state(root, part_of_target(ids, 0, kPrefix), cache, cross, {})};
  for (int32_t i = kPrefix; i < kTarget; ++i) {
    const Value start = constant(Tensor({}, {i}));
    x.push_back(body.next_hidden_state(root, part_of_target(ids, i, i + 1), cache, cross, start));
  }
  return concatenate(x, 1);
}

TEST_P(Seq2SeqOf, DecodesWithCachesAsTheWholeTarget) {
  const Value ids = ints({kPrompts, kTarget}, {2, 8, 71, 30, 9, 2, 12, 57, 3, 4});
  const EncodedSource source = encoded();
  expect_same(decode(body(), root_, source, ids), body().decoder_states(root_, {.input_ids = ids}, source).back());
}

// The targets of a source are adjacent rows, such as beams, and the cache of the source is not repeated.
TEST_P(Seq2SeqOf, DecodesSeveralTargetsOfASource) {
  const std::vector<int32_t> first{2, 8, 71, 30, 9, 2, 31, 21, 8, 5}, second{2, 12, 57, 3, 4, 2, 40, 3, 99, 77};
  std::vector<int32_t> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const EncodedSource source = encoded();
  const Value decoded = decode(body(), root_, source, ints({2 * kPrompts, kTarget}, all));
  const auto of_source = [&](int32_t prompt, const std::vector<int32_t>& targets) {
    const auto both = [&](const Value& x) {
      return concatenate({slice(x, 0, {prompt, prompt + 1}), slice(x, 0, {prompt, prompt + 1})}, 0);
    };
    const TextInputs target{.input_ids = ints({2, kTarget}, targets)};
    return body().decoder_states(root_, target, {both(source.x), both(source.attention_mask)}).back();
  };
  expect_same(decoded, concatenate({of_source(0, first), of_source(1, second)}, 0));
}

// A row with two pairs gives each target the states that it has alone.
TEST_P(Seq2SeqOf, PackedPairsAreIndependent) {
  const TextInputs alone = sources();
  const Value labels = ints({kPrompts, 4}, {8, 71, 30, 2, 12, 2, -100, -100});
  const EncodedSource source{body().encoder_states(root_, alone).back(), alone.attention_mask};
  const Value wanted = body().decoder_states(root_, {.input_ids = body().decoder_input_ids(labels)}, source).back();

  const TextInputs rows{.input_ids = ints({1, 12}, {64, 23, 11, 2, 1, 5, 17, 33, 99, 42, 2, 1}),
                        .attention_mask = ints({1, 12}, {2, 2, 2, 2, 0, 1, 1, 1, 1, 1, 1, 0}),
                        .position_ids = ints({1, 12}, {0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5, 0}),
                        .packed = true};
  const Value positions = ints({1, 8}, {0, 1, 2, 3, 0, 1, 0, 0});
  const Value packed_labels = ints({1, 8}, {8, 71, 30, 2, 12, 2, -100, -100});
  const TextInputs target{.input_ids = body().decoder_input_ids(packed_labels, positions),
                          .attention_mask = ints({1, 8}, {1, 1, 1, 1, 2, 2, 0, 0}),
                          .position_ids = positions,
                          .packed = true};
  const EncodedSource encoded{body().encoder_states(root_, rows).back(), rows.attention_mask};
  const Value found = reshape(body().decoder_states(root_, target, encoded).back(), {2, 4, -1});
  const auto tokens = [](const Value& x) {
    const Value second = slice(slice(x, 0, {1, 2}), 1, {0, 2});
    return concatenate({slice(x, 0, {0, 1}), second}, 1);
  };
  expect_same(tokens(found), tokens(wanted));
}

// Heads for classification read the states of texts that are source and target.
TEST_P(Seq2SeqOf, PackedTextsAreIndependent) {
  const Value wanted = body().hidden_states(root_, sources()).back();
  const TextInputs rows{.input_ids = ints({1, 12}, {5, 17, 33, 99, 42, 2, 64, 23, 11, 2, 1, 1}),
                        .attention_mask = ints({1, 12}, {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0}),
                        .position_ids = ints({1, 12}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 0}),
                        .packed = true};
  const Value found = body().hidden_states(root_, rows).back();
  const auto tokens = [](const Value& x) { return slice(reshape(x, {12, -1}), 0, {0, 10}); };
  expect_same(tokens(found), tokens(wanted));
}

INSTANTIATE_TEST_SUITE_P(Models, Seq2SeqOf,
                         ::testing::Values("bart_lm", "mbart_lm", "pegasus_lm", "t5_lm", "marian_lm", "umt5_lm"),
                         [](const auto& info) { return info.param; });

std::unique_ptr<models::TextModel> bart() {
  return models::text_model(
      parity::ReferenceCase(case_folder("bart_lm")).model().config());  // pad 1, eos 2, decoder start 2
}

std::vector<int32_t> int_values(const Value& x) {
  const Tensor tensor = evaluate({x}).front();
  const auto values = tensor.as<int32_t>();
  return {values.begin(), values.end()};
}

TEST(Seq2Seq, DecoderReadsShiftedLabels) {
  const auto model = bart();
  const Value labels = ints({2, 4}, {8, 9, 7, 2, 5, 2, -100, -100});
  EXPECT_EQ(int_values(model->seq2seq()->decoder_input_ids(labels)), (std::vector<int32_t>{2, 8, 9, 7, 2, 5, 2, 1}));
}

TEST(Seq2Seq, DecoderOfMBartReadsTheLastLabelFirst) {
  const auto model = models::text_model(parity::ReferenceCase(case_folder("mbart_lm")).model().config());
  const Value labels = ints({2, 4}, {8, 9, 2, 77, 5, 66, -100, -100});
  EXPECT_EQ(int_values(model->seq2seq()->decoder_input_ids(labels, {})),
            (std::vector<int32_t>{77, 8, 9, 2, 66, 5, 66, 1}));
  const Value packed = ints({1, 8}, {8, 9, 2, 77, 5, 66, -100, -100}),
              positions = ints({1, 8}, {0, 1, 2, 3, 0, 1, 0, 0});
  EXPECT_EQ(int_values(model->seq2seq()->decoder_input_ids(packed, positions)),
            (std::vector<int32_t>{77, 8, 9, 2, 66, 5, 66, 1}));
}

TEST(Seq2Seq, DecoderReadsAStartForEachPackedTarget) {
  const auto model = bart();
  const Value labels = ints({1, 6}, {8, 9, 2, 5, 2, -100}), positions = ints({1, 6}, {0, 1, 2, 0, 1, 0});
  EXPECT_EQ(int_values(model->seq2seq()->decoder_input_ids(labels, positions)),
            (std::vector<int32_t>{2, 8, 9, 2, 5, 2}));
}

TEST(Seq2Seq, TheDecoderMayHaveAVocabularyOfItsOwn) {
  const auto model = models::text_model(parity::ReferenceCase(case_folder("marian_two_vocabularies")).model().config());
  EXPECT_EQ(model->facts().vocab_size, 100);
  EXPECT_EQ(model->written_vocab_size(), 90);
  EXPECT_EQ(bart()->written_vocab_size(), 100);
}

TEST(Seq2Seq, IsTheBodyOfEncoderDecoderModelsOnly) {
  EXPECT_NE(bart()->seq2seq(), nullptr);
  EXPECT_EQ(bart()->decoder(), nullptr);
  const auto bert = models::text_model(parity::ReferenceCase(case_folder("bert_mlm")).model().config());
  EXPECT_EQ(bert->seq2seq(), nullptr);
}

}  // namespace
}  // namespace portatune::test
