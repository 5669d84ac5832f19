#include "portatune/train/program/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/graph/lowering.h"
#include "train/layer_stack.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;

constexpr DType kF32 = DType::kFloat32;

// The loss of an example x is matrix x; its gradient does not depend on the weights, and that of "vector" is zero.
class LinearTask final : public Task {
 public:
  std::vector<std::string> inputs() const override { return {"x", std::string(data::kExampleWeight)}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value matrix = root.parameter("matrix", {1, 2}, {}), vector = root.parameter("vector", {2}, {});
    const Value losses = sum(batch.at("x") * matrix + vector * 0.0, {1});
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {{"losses", losses}}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}
};

const train::Signature kBatch{{"x", {kF32, {3, 2}}}, {std::string(data::kExampleWeight), {kF32, {3}}}};
// Rows 1 and 2 have weight; their mean (3, 4) is the gradient, with norm 5.
const Tensor kX({3, 2}, {2.0f, 3.0f, 4.0f, 5.0f, 1000.0f, 1000.0f}), kWeights({3}, {1.0f, 1.0f, 0.0f});
const Tensor kMatrix({1, 2}, {1.0f, -1.0f}), kVector({2}, {2.0f, -2.0f});

// Results of the first step from zero moments, with learning rate 0.1.
std::vector<std::vector<float>> first_step(const train::StepOptions& options, const Tensor& x = kX) {
  const train::StepProgram program = train::step_program(LinearTask(), kBatch, options);
  EXPECT_EQ(program.parameters.at(0).name, "matrix");
  EXPECT_EQ(program.parameters.at(1).name, "vector");
  const Tensor zero_matrix({kF32, {1, 2}}), zero_vector({kF32, {2}}), key({DType::kUInt32, {2}});
  const Tensor counters({3}, {0, 0, 0}), scale({}, {1.0f}), rate({}, {0.1f});
  std::vector<std::vector<float>> found;
  for (const Tensor& result : evaluate(program.function.results, program.function.parameters,
                                       {kMatrix, kVector, zero_matrix, zero_vector, zero_matrix, zero_vector, counters,
                                        scale, x, kWeights, rate, key})) {
    found.push_back(is_float(result.dtype()) ? to_floats(result.view()) : std::vector<float>{});
  }
  return found;
}

// Positions in the results of two weights.
enum { kNewMatrix, kNewVector, kM, kMVector, kV, kVVector, kCounters, kScale, kLoss, kWeight, kNorm };

TEST(StepProgram, LossAndGradientAreMeansOfWeightedExamples) {
  const auto found = first_step({.max_grad_norm = 0});
  EXPECT_THAT(found[kLoss], ElementsAre(FloatEq(3 - 4)));
  EXPECT_THAT(found[kWeight], ElementsAre(2));
  EXPECT_THAT(found[kNorm], ElementsAre(FloatEq(5)));
  EXPECT_THAT(found[kM], ElementsAre(FloatNear(0.3f, 1e-6f), FloatNear(0.4f, 1e-6f)));
  EXPECT_THAT(found[kV], ElementsAre(FloatNear(0.009f, 1e-8f), FloatNear(0.016f, 1e-8f)));
  // Adam's first step has the length of the learning rate for any gradient.
  EXPECT_THAT(found[kNewMatrix], ElementsAre(FloatNear(0.9f, 1e-6f), FloatNear(-1.1f, 1e-6f)));
}

TEST(StepProgram, ClipsTheGradientToTheNorm) {
  const auto found = first_step({.max_grad_norm = 1});
  EXPECT_THAT(found[kNorm], ElementsAre(FloatEq(5)));  // before clipping
  const float factor = static_cast<float>(1 / (5 + 1e-6));
  EXPECT_THAT(found[kM], ElementsAre(FloatNear(0.3f * factor, 1e-7f), FloatNear(0.4f * factor, 1e-7f)));
}

TEST(StepProgram, KeepsAGradientBelowTheNorm) {
  EXPECT_THAT(first_step({.max_grad_norm = 6})[kM], ElementsAre(FloatNear(0.3f, 1e-6f), FloatNear(0.4f, 1e-6f)));
}

// As torch.nn.utils.clip_grad_value_, after clip_grad_norm_ if there is a maximum of the norm.
TEST(StepProgram, ClipsTheElementsOfTheGradient) {
  const Tensor x({3, 2}, {2.0f, -3.0f, 4.0f, -5.0f, 0.0f, 0.0f});  // the gradient is (3, -4)
  EXPECT_THAT(first_step({.max_grad_norm = 0, .max_grad_value = 3.5}, x)[kM],
              ElementsAre(FloatNear(0.3f, 1e-6f), FloatNear(-0.35f, 1e-6f)));
  EXPECT_THAT(first_step({.max_grad_norm = 1, .max_grad_value = 0.7})[kM],
              ElementsAre(FloatNear(0.06f, 1e-6f), FloatNear(0.07f, 1e-6f)));
}

TEST(StepProgram, WeightDecayAppliesToMatricesOnly) {
  const auto found = first_step({.optimizer = optim::adamw({.weight_decay = 0.5})});
  EXPECT_THAT(found[kNewMatrix], ElementsAre(FloatNear(0.95f - 0.1f, 1e-6f), FloatNear(-0.95f - 0.1f, 1e-6f)));
  EXPECT_THAT(found[kNewVector], ElementsAre(2, -2));
  const auto all = first_step({.optimizer = optim::adamw({.weight_decay = 0.5}, optim::WeightDecayOf::kAll)});
  EXPECT_THAT(all[kNewVector], ElementsAre(FloatNear(1.9f, 1e-6f), FloatNear(-1.9f, 1e-6f)));
}

TEST(StepProgram, StateIsUpdatedInPlace) {
  const train::StepProgram program = train::step_program(LinearTask(), kBatch, {});
  std::vector<std::pair<size_t, size_t>> wanted;
  for (size_t i = 0; i < 8; ++i) wanted.emplace_back(i, i);
  EXPECT_EQ(program.function.aliases, wanted);
}

int64_t count(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Matrix products of a program of encoder layers.
int64_t products(const Function& function) { return count(to_stablehlo(function, {}), "stablehlo.dot_general"); }

TEST(StepProgram, AFrozenLayerHasItsForwardPassAlone) {
  const LayerStack one(1), two(2);
  const int64_t forward = products(one.evaluation(4));
  EXPECT_GT(forward, 0);
  EXPECT_EQ(products(two.step(4, {.frozen = {"layer.0"}})), products(one.step(4, {})) + forward);
  EXPECT_GT(products(two.step(4, {})), products(two.step(4, {.frozen = {"layer.0"}})));
}

// Layers with dropout of states and of attention weights, of which one device has all or a part.
class DropoutTask final : public Task {
 public:
  DropoutTask(double hidden, double attention) : hidden_(hidden), attention_(attention) {}

  std::vector<std::string> inputs() const override { return {"x", std::string(data::kExampleWeight)}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    Value x = nn::dropout(root / "embeddings", batch.at("x"), hidden_);
    const Value mask = full({kF32, {1, 1, 1, x.shape()[1]}}, 0);
    for (const int64_t i : {0, 1}) {
      const nn::Scope layer = root / "layer" / i;
      const nn::SelfAttention heads{.heads = 2, .head_size = 2, .dropout = attention_};
      const Value attended = nn::self_attention(layer / "attention", x, mask, heads);
      const Value y = nn::dropout_of_part(layer / "attention", attended, hidden_);
      x = nn::remat(layer, x, x + nn::dropout(layer, nn::linear(layer / "output", y, 4, nn::rows()), hidden_));
    }
    return {.loss_sum = sum(sum(x, {1, 2}) * weights), .weight_sum = sum(weights), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}

 private:
  const double hidden_, attention_;
};

TEST(StepProgram, DoesNotDependOnDropoutRatesAboveZero) {
  const train::Signature batch{{"x", {kF32, {4, 3, 4}}}, {std::string(data::kExampleWeight), {kF32, {4}}}};
  const std::vector<train::StepOptions> all_options = {{},
                                                       {.remat = Remat::kLayers},
                                                       {.gradient_accumulation_steps = 2, .remat = Remat::kDots},
                                                       {.mesh = {.data = 2, .tensor = 2}}};
  for (const train::StepOptions& options : all_options) {
    const auto program_of = [&](double hidden, double attention) {
      return train::step_program(DropoutTask(hidden, attention), batch, options);
    };
    const auto text_of = [](const Function& function) { return to_stablehlo(function, {}); };
    const train::StepProgram one = program_of(0.1, 0.1);
    EXPECT_THAT(one.dropout_rates, testing::Each(0.1));
    EXPECT_EQ(one.dropout_rates.size(), 7);
    EXPECT_EQ(text_of(program_of(0.5, 0.25).function), text_of(one.function));
    EXPECT_THAT(program_of(0.5, 0.25).dropout_rates, ElementsAre(0.5, 0.25, 0.5, 0.5, 0.25, 0.5, 0.5));

    const train::StepProgram some = program_of(0, 0.1), none = program_of(0, 0);
    EXPECT_THAT(some.dropout_rates, ElementsAre(0.1, 0.1));
    EXPECT_THAT(none.dropout_rates, ElementsAre());
    EXPECT_EQ(count(text_of(none.function), "stablehlo.xor"), 0);
    EXPECT_LT(none.function.parameters.size(), some.function.parameters.size());
  }
}

TEST(StepProgram, FrozenParametersAreNamedInPartsThatExist) {
  const auto message = [](const std::vector<std::string>& frozen) {
    return message_of<UsageError>([&] { train::step_program(LinearTask(), kBatch, {.frozen = frozen}); });
  };
  EXPECT_THAT(message({"matrix", "layer.0"}), AllOf(HasSubstr("'layer.0'"), HasSubstr("such as matrix")));
  EXPECT_THAT(message({"matrix", "vector"}), HasSubstr("all parameters"));
}

TEST(EvaluationProgram, GivesSumsAndOutputs) {
  const train::EvaluationProgram program = train::evaluation_program(LinearTask(), kBatch, {});
  EXPECT_THAT(program.outputs, ElementsAre("losses"));
  const std::vector<Tensor> found =
      evaluate(program.function.results, program.function.parameters, {kMatrix, kVector, kX, kWeights});
  EXPECT_THAT(found[0].as<float>(), ElementsAre(-2));
  EXPECT_THAT(found[1].as<float>(), ElementsAre(2));
  EXPECT_THAT(found[2].as<float>(), ElementsAre(-1, -1, 0));
}

}  // namespace
}  // namespace portatune::test
