// The loss of a language model in slices of the tokens equals that of all logits at once, with all gradients.
#include "portatune/tasks/objectives/token_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "graph/evaluate.h"
#include "portatune/graph/matrix_flops.h"

namespace portatune::test {
namespace {

using models::HeadKind;

constexpr int64_t kTexts = 2, kTokens = 7;
const std::vector<int32_t> kLabels = {3, -100, 0, 4, 7, 9, -100, 1, 2, 30, -100, 5, 6, -100};

struct HeadCase {
  std::string name;  // of a folder in tests/data/models
  HeadKind kind;
};

std::unique_ptr<models::TextModel> model_of_head(const HeadCase& head) {
  const std::filesystem::path folder = std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / head.name;
  return models::text_model(io::JsonObject::read(folder / "config.json"));
}

// Makes the parameters of the body, to which heads are tied.
void make_body(const models::TextModel& model, const nn::Scope& root) {
  const models::TextInputs in{.input_ids = full({DType::kInt32, {1, 2}}, 1)};
  if (const models::Seq2Seq* body = model.seq2seq()) {
    body->decoder_states(root, in, {.x = body->encoder_states(root, in).back(), .attention_mask = in.input_ids});
  } else {
    static_cast<void>(model.body().hidden_states(root, in));
  }
}

struct Setting {
  DType dtype = DType::kFloat32;
  double label_smoothing = 0;
  const Device& device = decompositions();
};

// The bytes of logits of the whole batch, in `parts` parts.
int64_t part_of_logits(const models::TextModel& model, int64_t parts) {
  return (kTexts * kTokens + parts - 1) / parts * model.written_vocab_size() * size_of(DType::kFloat32);
}

// The results of a loss with random weights: sums, outputs, and the gradients of x and of all weights.
std::vector<std::vector<float>> results_of_head(const HeadCase& head, int64_t parts, const Setting& setting) {
  const auto model = model_of_head(head);
  nn::Context context({.compute_dtype = setting.dtype, .initializer_range = 0.3});
  const nn::Scope root(context);
  make_body(*model, root);

  const Value input = parameter("x", {DType::kFloat32, {kTexts, kTokens, model->facts().hidden_size}});
  const Value labels = constant(Tensor({kTexts, kTokens}, std::span(kLabels))),
              weights = constant(Tensor({2}, {1.0f, 0.5f}));
  const tasks::LanguageModelHead in_slices{.model = *model,
                                           .kind = head.kind,
                                           .root = root,
                                           .label_smoothing = setting.label_smoothing,
                                           .max_logits_bytes = part_of_logits(*model, parts)};
  const Forward forward = tasks::objective_of_tokens(
      in_slices, convert(input, setting.dtype), labels,
      [&](const tasks::TokenFigures& figures) { return tasks::language_modelling(figures, labels, weights); });

  Values parameters{input}, results{forward.loss_sum, forward.weight_sum};
  for (const auto& [name, output] : forward.outputs) results.push_back(output);
  for (const nn::Parameter& weight : context.parameters()) parameters.push_back(weight.input);
  for (const Value& gradient : gradients(forward.loss_sum * 3.0, parameters)) results.push_back(gradient);
  std::vector<Tensor> values;
  for (const Value& value : parameters)
    values.push_back(random(value.type(), static_cast<uint32_t>(values.size()) + 1));
  std::vector<std::vector<float>> found;
  for (const Tensor& result : evaluate(results, parameters, values, setting.device))
    found.push_back(to_floats(result.view()));
  return found;
}

void expect_near_results(const std::vector<std::vector<float>>& found, const std::vector<std::vector<float>>& wanted,
                         double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(found[i].size(), wanted[i].size());
    double largest = 0, difference = 0;
    for (size_t j = 0; j < wanted[i].size(); ++j) {
      largest = std::max(largest, std::abs(static_cast<double>(wanted[i][j])));
      difference = std::max(difference, std::abs(static_cast<double>(found[i][j]) - wanted[i][j]));
    }
    EXPECT_LE(difference, tolerance * largest) << "result " << i;
  }
}

class TokenSlices : public ::testing::TestWithParam<HeadCase> {
 protected:
  // In two slices, in three, of which the last has padding, and in one for each token.
  void expect_slices_to_equal_the_whole(const Setting& setting, double tolerance) const {
    const auto wanted = results_of_head(GetParam(), 1, setting);
    ASSERT_GT(std::abs(wanted[0][0]), 1);
    for (const int64_t parts : {2, 3, 14}) {
      SCOPED_TRACE(parts);
      expect_near_results(results_of_head(GetParam(), parts, setting), wanted, tolerance);
    }
  }
};

TEST_P(TokenSlices, EqualTheWhole) { expect_slices_to_equal_the_whole({}, 1e-5); }

TEST_P(TokenSlices, EqualTheWholeWithKernelsAndSmoothedLabels) {
  expect_slices_to_equal_the_whole({.label_smoothing = 0.1, .device = kernels()}, 1e-5);
}

// The gradients of weights are added in float32; products of fewer rows may be rounded in another order.
TEST_P(TokenSlices, EqualTheWholeInBfloat16) {
  expect_slices_to_equal_the_whole({.dtype = DType::kBFloat16, .device = kernels()}, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(
    Heads, TokenSlices,
    ::testing::Values(HeadCase{"gpt2_lm", HeadKind::kCausalLM}, HeadCase{"gpt2_lm_untied", HeadKind::kCausalLM},
                      HeadCase{"gemma2_lm", HeadKind::kCausalLM},  // with a softcap
                      HeadCase{"bert_mlm", HeadKind::kMaskedLM},   // with layers before the logits, and a bias
                      HeadCase{"bart_lm", HeadKind::kSeq2SeqLM},   // with a bias that is not trained
                      HeadCase{"t5_lm", HeadKind::kSeq2SeqLM}),    // with scaled states
    [](const auto& info) { return info.param.name; });

const HeadCase kUntied{"gpt2_lm_untied", HeadKind::kCausalLM};

// The loss, and the gradients of these weights.
Function loss_of_texts(const models::TextModel& model, int64_t max_logits_bytes, DType dtype,
                       const std::vector<std::string>& trained = {}) {
  nn::Context context({.compute_dtype = dtype});
  const nn::Scope root(context);
  const Value labels = full({DType::kInt32, {kTexts, kTokens}}, 1), ids = parameter("ids", labels.type());
  const Value x = model.body().hidden_states(root, {.input_ids = ids}).back();
  const tasks::LanguageModelHead in_slices{
      .model = model, .kind = kUntied.kind, .root = root, .max_logits_bytes = max_logits_bytes};
  const Forward forward = tasks::objective_of_tokens(in_slices, x, labels, [&](const tasks::TokenFigures& figures) {
    return tasks::language_modelling(figures, labels, full({DType::kFloat32, {kTexts}}, 1));
  });
  Function function{.parameters = {ids}, .results = {forward.loss_sum}};
  Values weights;
  for (const nn::Parameter& weight : context.parameters()) {
    function.parameters.push_back(weight.input);
    if (std::ranges::find(trained, weight.name) != trained.end()) weights.push_back(weight.input);
  }
  if (weights.size() != trained.size()) throw std::logic_error("no weights with these names");
  for (const Value& gradient : gradients(forward.loss_sum, weights)) function.results.push_back(gradient);
  return function;
}

// Neither an evaluation nor a frozen head computes more products than without slices.
TEST(TokenSlicesOf, LogitsComputeTheGradientsThatAreUsed) {
  const auto model = model_of_head(kUntied);
  const std::string embeddings = "transformer.wte.weight", head = "lm_head.weight";
  const int64_t bytes = part_of_logits(*model, 1);
  std::vector<std::map<DType, double>> flops;
  for (const std::vector<std::string>& trained :
       std::vector<std::vector<std::string>>{{}, {embeddings}, {head}, {embeddings, head}}) {
    flops.push_back(matrix_flops(loss_of_texts(*model, bytes / 7, DType::kFloat32, trained)));
    EXPECT_EQ(flops.back(), matrix_flops(loss_of_texts(*model, bytes, DType::kFloat32, trained)));
  }
  EXPECT_LT(flops[0], flops[1]);
  EXPECT_LT(flops[1], flops[3]);
}

TEST(TokenSlicesOf, LogitsThatFitAreNotSliced) {
  const auto model = model_of_head(kUntied);
  const auto text_of = [&](int64_t max_logits_bytes, DType dtype) {
    return to_stablehlo(loss_of_texts(*model, max_logits_bytes, dtype), {});
  };
  const auto is_sliced = [](const std::string& text) { return text.find("stablehlo.while") != std::string::npos; };
  const int64_t bytes = part_of_logits(*model, 1);
  EXPECT_FALSE(is_sliced(text_of(bytes, DType::kFloat32)));
  EXPECT_TRUE(is_sliced(text_of(bytes - 1, DType::kFloat32)));
  EXPECT_TRUE(is_sliced(text_of(bytes - 1, DType::kBFloat16)));
  EXPECT_FALSE(is_sliced(text_of(bytes - 1, DType::kFloat16)));
}

}  // namespace
}  // namespace portatune::test
