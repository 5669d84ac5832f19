#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/nn.h"

namespace portatune::test {
namespace {

constexpr DType kF32 = DType::kFloat32, kBF16 = DType::kBFloat16;

std::vector<std::pair<std::string, Shape>> names_and_shapes(const nn::Context& context) {
  std::vector<std::pair<std::string, Shape>> result;
  for (const nn::Parameter& parameter : context.parameters()) {
    result.emplace_back(parameter.name, parameter.value.shape());
  }
  return result;
}

// The value of `result` for these values of the context's parameters.
std::vector<float> with_parameters(const nn::Context& context, const Value& result, const std::vector<Tensor>& values) {
  Values parameters;
  for (const nn::Parameter& parameter : context.parameters()) parameters.push_back(parameter.value);
  return to_floats(evaluate({result}, parameters, values).front().view());
}

TEST(Layers, LinearHasTheNamesAndTheFormulaOfTorch) {
  nn::Context context({.initializer_range = 0.5});
  const Value x = constant(Tensor({1, 2}, {3.0f, 5.0f}));
  const Value y = nn::linear(nn::Scope(context) / "dense", x, 3);
  EXPECT_EQ(names_and_shapes(context),
            (std::vector<std::pair<std::string, Shape>>{{"dense.weight", {3, 2}}, {"dense.bias", {3}}}));
  EXPECT_EQ(context.parameters()[0].initializer.kind, nn::Initializer::Kind::kNormal);
  EXPECT_EQ(context.parameters()[0].initializer.stddev, 0.5);
  EXPECT_EQ(context.parameters()[1].initializer.kind, nn::Initializer::Kind::kZeros);
  EXPECT_EQ(with_parameters(context, y,
                            {Tensor({3, 2}, {1.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f}), Tensor({3}, {10.0f, 20.0f, 30.0f})}),
            (std::vector<float>{13, 25, 38}));
}

TEST(Layers, LinearSupportsNoBiasAndSmallerInitialWeights) {
  nn::Context context({});
  const Value x = constant(Tensor({1, 2}, {3.0f, 5.0f}));
  const Value y = nn::linear(nn::Scope(context) / "dense", x, 1, {.bias = false, .initializer_scale = 0.5});
  EXPECT_EQ(names_and_shapes(context), (std::vector<std::pair<std::string, Shape>>{{"dense.weight", {1, 2}}}));
  EXPECT_EQ(context.parameters()[0].initializer.stddev, 0.01);
  EXPECT_EQ(with_parameters(context, y, {Tensor({1, 2}, {2.0f, 1.0f})}), (std::vector<float>{11}));
}

// Tests the parts that a device has of parameters that two devices along tensor share.
TEST(Layers, DivideColumnsRowsAndBlocks) {
  nn::Context context({.mesh = {.fsdp = 2, .tensor = 2}});
  const nn::Scope s(context);
  const Value x = constant(Tensor({1, 2}, {3.0f, 5.0f}));
  const Value expanded = nn::linear(s / "up", x, 12, nn::columns({}, 3));
  EXPECT_EQ(expanded.shape(), (Shape{1, 6}));
  EXPECT_EQ(nn::linear(s / "down", expanded, 2, nn::rows()).shape(), (Shape{1, 2}));
  EXPECT_EQ(nn::conv1d(s / "again", expanded, 6, nn::rows({.bias = false})).shape(), (Shape{1, 6}));
  const MeshAxes both{MeshAxis::kTensor, MeshAxis::kFsdp}, tensor{MeshAxis::kTensor}, fsdp{MeshAxis::kFsdp};
  struct Wanted {
    std::string name;
    Shape whole, part, input;
    Sharding sharding;
  };
  const std::vector<Wanted> all = {
      {"up.weight", {12, 2}, {6, 2}, {3, 2}, {.axis = 0, .over = both, .blocks = 3}},
      {"up.bias", {12}, {6}, {3}, {.axis = 0, .over = both, .blocks = 3}},
      {"down.weight", {2, 12}, {2, 6}, {2, 3}, {.axis = 1, .over = both}},
      {"down.bias", {2}, {2}, {1}, {.axis = 0, .over = fsdp}},
      {"again.weight", {12, 6}, {6, 6}, {3, 6}, {.axis = 0, .over = both}},
  };
  ASSERT_EQ(context.parameters().size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const nn::Parameter& parameter = context.parameters()[i];
    EXPECT_EQ(parameter.name, all[i].name);
    EXPECT_EQ(parameter.type, (TensorType{kF32, all[i].whole})) << parameter.name;
    EXPECT_EQ(parameter.value.shape(), all[i].part) << parameter.name;
    EXPECT_EQ(parameter.input.shape(), all[i].input) << parameter.name;
    EXPECT_EQ(parameter.sharding, all[i].sharding) << parameter.name;
  }
  // Six rows can be divided among the two devices along tensor, but not among all four.
  nn::word_embedding(s / "words", constant(Tensor({1}, {4})), 6, 4);
  EXPECT_EQ(context.parameters().back().sharding, (Sharding{.axis = 0, .over = tensor}));
  nn::word_embedding(s / "odd", constant(Tensor({1}, {4})), 7, 4);
  EXPECT_EQ(context.parameters().back().sharding, (Sharding{.axis = 1, .over = fsdp}));
}

// A weight that a layer rounds is gathered in 16 bits; another layer gets the same parameter unrounded.
TEST(Layers, GatherInTheComputeType) {
  const Mesh mesh{.fsdp = 2};
  nn::Context context({.compute_dtype = DType::kBFloat16, .mesh = mesh});
  const nn::Scope s(context);
  const auto gathered = [&](const Value& result) {
    Values parameters;
    for (const nn::Parameter& parameter : context.parameters()) parameters.push_back(parameter.input);
    const std::string text = to_stablehlo({.parameters = parameters, .results = {result}, .mesh = mesh}, {});
    const size_t gather = text.find("stablehlo.all_gather"), type = text.find("-> tensor<", gather) + 10;
    EXPECT_EQ(text.find("stablehlo.all_gather", type), std::string::npos) << "a second one";
    return text.substr(type, text.find('>', type) - type);
  };
  const Value x = full({DType::kBFloat16, {3, 4}}, 1);
  EXPECT_EQ(gathered(nn::linear(s / "a", x, 6, {.bias = false})), "6x4xbf16");
  EXPECT_EQ(gathered(nn::conv1d(s / "b", x, 6, {.bias = false})), "4x6xbf16");
  EXPECT_EQ(gathered(nn::embedding(s / "c", constant(Tensor({1}, {4})), 10, 4)), "10x4xbf16");
  EXPECT_EQ(gathered(nn::rms_norm(s / "d", x, 1e-5)), "4xf32");
  EXPECT_EQ(gathered(nn::linear(s / "e", convert(x, DType::kFloat32), 6, {.bias = false})), "6x4xf32");
  const Value exact = (s / "a").parameter("weight", {6, 4}, {});
  EXPECT_EQ(gathered(exact), "6x4xf32") << "another layer uses it rounded";
}

// As in Megatron: a sum after the second of two layers, and one for the gradient of the first one's input.
TEST(Layers, TensorParallelPairNeedsOneSumForwardAndOneBackward) {
  const Mesh mesh{.tensor = 2};
  nn::Context context({.mesh = mesh});
  const nn::Scope s(context);
  const Value x = parameter("x", {kF32, {3, 4}});
  Value y = x;
  for (int i = 0; i < 3; ++i) {
    const Value expanded = nn::linear(s / i / "up", y, 8, nn::columns());
    y = y + nn::linear(s / i / "down", gelu(expanded), 4, nn::rows());
  }
  Function f{.mesh = mesh};
  for (const nn::Parameter& parameter : context.parameters()) f.parameters.push_back(parameter.input);
  f.results = gradients(sum(y * y) / 2.0, f.parameters);
  f.results.push_back(y);
  f.parameters.push_back(x);
  const std::string text = to_stablehlo(f, {}), op = "stablehlo.all_reduce";
  int sums = 0;
  for (size_t at = text.find(op); at != std::string::npos; at = text.find(op, at + 1)) ++sums;
  EXPECT_EQ(sums, 6);
}

TEST(Layers, RefuseUnequalParts) {
  nn::Context context({.mesh = {.tensor = 3}});
  const nn::Scope s(context);
  const Value x = constant(Tensor({1, 2}, {3.0f, 5.0f}));
  const std::string text = message_of<UsageError>([&] { nn::linear(s / "dense" / "up", x, 20, nn::columns()); });
  for (const char* part : {"20 features", "tensor=3", "1, 2, 4, 5, 10, 20", "dense.up"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(nn::share(s, "heads", 12), 4);
}

// Each device has two of six rows, and 0 for the others. Selected rows get a gradient, except that of padding.
TEST(Layers, WordEmbeddingIsDividedByRows) {
  const Mesh mesh{.tensor = 3};
  const Device device({.mesh = mesh, .cache_folder = program_cache()});
  nn::Context context({.mesh = mesh});
  const Value x = nn::word_embedding(nn::Scope(context), constant(Tensor({4}, {5, 0, 3, 5})), 6, 1, 3);
  const Sharding rows{.over = {MeshAxis::kTensor}};
  const Value dx = constant(Tensor({4, 1}, {1.0f, 2.0f, 4.0f, 8.0f}));
  const Value weight = context.parameters()[0].input;
  const Value gradient = gradients(sum(x * dx) / 3.0, Values{weight}).front();
  const Program program =
      device.compile({.parameters = {weight}, .results = {x, gradient}, .mesh = mesh, .result_shardings = {{}, rows}});
  DeviceArray table = device.put(Tensor({6, 1}, {10.0f, 11.0f, 12.0f, 13.0f, 14.0f, 15.0f}).view(), rows);
  const std::vector<DeviceArray> results = program.run({&table});
  EXPECT_EQ(to_floats(results[0].to_host().view()), (std::vector<float>{15, 10, 13, 15}));
  EXPECT_EQ(to_floats(results[1].to_host().view()), (std::vector<float>{2, 0, 0, 0, 0, 9}));
}

TEST(Layers, Conv1DIsALinearLayerWithATransposedWeight) {
  nn::Context context({});
  const Value y = nn::conv1d(nn::Scope(context) / "c_fc", constant(Tensor({1, 2}, {3.0f, 5.0f})), 3);
  EXPECT_EQ(names_and_shapes(context),
            (std::vector<std::pair<std::string, Shape>>{{"c_fc.weight", {2, 3}}, {"c_fc.bias", {3}}}));
  EXPECT_EQ(with_parameters(context, y,
                            {Tensor({2, 3}, {1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 1.0f}), Tensor({3}, {10.0f, 20.0f, 30.0f})}),
            (std::vector<float>{13, 25, 38}));
}

TEST(Layers, RmsNormScales) {
  nn::Context context({});
  const Value y = nn::rms_norm(nn::Scope(context) / "norm", constant(Tensor({1, 2}, {3.0f, 4.0f})), 12.5);
  EXPECT_EQ(names_and_shapes(context), (std::vector<std::pair<std::string, Shape>>{{"norm.weight", {2}}}));
  EXPECT_EQ(context.parameters()[0].initializer.kind, nn::Initializer::Kind::kOnes);
  const std::vector<float> scaled = with_parameters(context, y, {Tensor({2}, {1.0f, 10.0f})});
  EXPECT_NEAR(scaled[0], 0.6, 1e-6);
  EXPECT_NEAR(scaled[1], 8, 1e-5);
}

TEST(Layers, RmsNormWithUnitOffsetScalesByOnePlusTheWeight) {
  nn::Context context({});
  const Value x = constant(Tensor({1, 2}, {3.0f, 4.0f}));
  const Value y = nn::rms_norm(nn::Scope(context) / "norm", x, 12.5, {.unit_offset = true});
  EXPECT_EQ(context.parameters()[0].initializer.kind, nn::Initializer::Kind::kZeros);
  const std::vector<float> scaled = with_parameters(context, y, {Tensor({2}, {0.0f, 9.0f})});
  EXPECT_NEAR(scaled[0], 0.6, 1e-6);
  EXPECT_NEAR(scaled[1], 8, 1e-5);
}

TEST(Layers, LayerNormSupportsNoBias) {
  nn::Context context({});
  const Value x = constant(Tensor({1, 2}, {1.0f, 3.0f}));
  const Value y = nn::layer_norm(nn::Scope(context) / "norm", x, 0, {.bias = false});
  EXPECT_EQ(names_and_shapes(context), (std::vector<std::pair<std::string, Shape>>{{"norm.weight", {2}}}));
  EXPECT_EQ(with_parameters(context, y, {Tensor({2}, {2.0f, 5.0f})}), (std::vector<float>{-2, 5}));
}

TEST(Layers, AttentionDropsInTrainingOnly) {
  const auto attended = [](bool training) {
    nn::Context context({.training = training, .random_key = constant(Tensor({2}, {uint32_t{1}, uint32_t{2}}))});
    const Value x = full({kF32, {1, 64, 4}}, 1), nothing_hidden = full({kF32, {1, 1, 1, 64}}, 0);
    const nn::Scope s = nn::Scope(context) / "attention";
    const Value y = nn::attention(s, x, x, x, nothing_hidden, {.heads = 1, .scale = 1, .dropout = 0.5});
    return to_floats(evaluate({y}).front().view());
  };
  // The mean of 64 ones without dropout, and of the remaining ones, twice as large, with dropout.
  const auto [least, most] = std::ranges::minmax(attended(false));
  EXPECT_NEAR(least, 1, 1e-6);
  EXPECT_NEAR(most, 1, 1e-6);
  EXPECT_GT(std::ranges::max(attended(true)), 1.01);
  EXPECT_LT(std::ranges::min(attended(true)), 0.99);
}

TEST(Layers, LayerNormScalesAndShifts) {
  nn::Context context({});
  const Value y = nn::layer_norm(nn::Scope(context) / "LayerNorm", constant(Tensor({1, 2}, {1.0f, 3.0f})), 0);
  EXPECT_EQ(names_and_shapes(context),
            (std::vector<std::pair<std::string, Shape>>{{"LayerNorm.weight", {2}}, {"LayerNorm.bias", {2}}}));
  EXPECT_EQ(context.parameters()[0].initializer.kind, nn::Initializer::Kind::kOnes);
  EXPECT_EQ(context.parameters()[1].initializer.kind, nn::Initializer::Kind::kZeros);
  // (1, 3) is normalised to (-1, 1).
  EXPECT_EQ(with_parameters(context, y, {Tensor({2}, {2.0f, 4.0f}), Tensor({2}, {0.5f, 0.25f})}),
            (std::vector<float>{-1.5f, 4.25f}));
}

TEST(Layers, EmbeddingReturnsRowsInTheComputeType) {
  nn::Context context({.compute_dtype = kBF16});
  const Value ids = constant(Tensor({1, 2}, {int32_t{2}, int32_t{0}}));
  const Value y = nn::embedding(nn::Scope(context) / "word_embeddings", ids, 3, 2);
  EXPECT_EQ(names_and_shapes(context),
            (std::vector<std::pair<std::string, Shape>>{{"word_embeddings.weight", {3, 2}}}));
  EXPECT_EQ(y.type(), (TensorType{kBF16, {1, 2, 2}}));
  EXPECT_EQ(with_parameters(context, y, {Tensor({3, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f})}),
            (std::vector<float>{5, 6, 1, 2}));
}

TEST(Layers, DropoutDropsInTrainingOnly) {
  const Value x = full({kF32, {1000}}, 1);
  nn::Context evaluation({});  // it needs no random key
  EXPECT_EQ(nn::dropout(nn::Scope(evaluation), x, 0.5), x);

  nn::Context training({.training = true, .random_key = constant(Tensor({2}, {uint32_t{1}, uint32_t{2}}))});
  EXPECT_EQ(nn::dropout(nn::Scope(training), x, 0), x);
  const std::vector<double> y = elements(nn::dropout(nn::Scope(training) / "a", x, 0.25));
  const auto dropped = std::ranges::count(y, 0.0);
  EXPECT_EQ(dropped + std::ranges::count(y, static_cast<double>(1 / 0.75f)), 1000);
  EXPECT_NEAR(static_cast<double>(dropped), 250, 5 * std::sqrt(1000 * 0.25 * 0.75));
  EXPECT_NE(elements(nn::dropout(nn::Scope(training) / "b", x, 0.25)), y);
}

TEST(Layers, ErrorNamesTheScope) {
  nn::Context context({.training = true});
  const nn::Scope s = nn::Scope(context) / "encoder" / "layer" / 3;
  const Value ids = constant(Tensor({1}, {int32_t{0}}));
  expect_shape_error([&] { nn::linear(s / "dense", ids, 4); }, {"linear", "in        encoder.layer.3.dense"});
  expect_shape_error([&] { nn::layer_norm(s / "LayerNorm", ids, 1e-5); }, {"in        encoder.layer.3.LayerNorm"});
  expect_shape_error(
      [&] {
        nn::embedding(s / "words", full({kF32, {2}}, 0), 4, 2);
      },
      {"in        encoder.layer.3.words"});
  EXPECT_THROW(nn::dropout(s, full({kF32, {2}}, 0), 0.1), UsageError);  // the random key is missing
}

TEST(Layers, ErrorOfAScalarOperandIsAShapeError) {
  nn::Context context({});
  const Value scalar = full({kF32, {}}, 0);
  expect_shape_error([&] { nn::linear(nn::Scope(context) / "a", scalar, 4); }, {"linear", "in        a"});
  expect_shape_error([&] { nn::layer_norm(nn::Scope(context) / "b", scalar, 1e-5); }, {"layer_norm", "in        b"});
}

struct Activation {
  const char* name;
  double at_1, at_minus_2;  // values of transformers.activations.ACT2FN in float64
};

TEST(Layers, ActivationsMatchTransformers) {
  const std::vector<Activation> activations{
      {"gelu", 0.841344746068543, -0.04550026389635842},
      {"gelu_new", 0.8411919906082768, -0.04540230591222494},
      {"gelu_pytorch_tanh", 0.8411919906082768, -0.04540230591222494},
      {"gelu_fast", 0.841191990607477, -0.04540230591282446},
      {"gelu_accurate", 0.8411919906082768, -0.04540230591222494},
      {"gelu_python", 0.8413447460685429, -0.04550026389635842},
      {"gelu_python_tanh", 0.8411919906082768, -0.04540230591222494},
      {"linear", 1, -2},
      {"quick_gelu", 0.8457957659328212, -0.06434137685579186},
      {"relu", 1, 0},
      {"relu2", 1, 0},
      {"sigmoid", 0.7310585786300049, 0.11920292202211755},
      {"silu", 0.7310585786300049, -0.2384058440442351},
      {"swish", 0.7310585786300049, -0.2384058440442351},
      {"tanh", 0.7615941559557649, -0.9640275800758169},
  };
  const Value x = constant(Tensor({2}, {1.0f, -2.0f}));
  for (const Activation& activation : activations) {
    const std::vector<double> y = elements(nn::activate(activation.name, x));
    EXPECT_NEAR(y[0], activation.at_1, 2e-6) << activation.name;
    EXPECT_NEAR(y[1], activation.at_minus_2, 2e-6) << activation.name;
  }
}

TEST(Layers, UnknownActivationIsRefusedByName) {
  try {
    nn::activate("geglu", full({kF32, {2}}, 0));
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("\"geglu\""), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("gelu_pytorch_tanh"), std::string::npos) << error.what();
  }
}

TEST(Layers, AttentionBiasHidesMaskedTokens) {
  const Value bias = nn::attention_bias(constant(Tensor({2, 2}, {1, 0, 0, 7})));
  EXPECT_EQ(bias.type(), (TensorType{kF32, {2, 1, 1, 2}}));
  constexpr double kLowest = std::numeric_limits<float>::lowest();
  EXPECT_EQ(elements(bias), (std::vector<double>{0, kLowest, kLowest, 0}));
}

}  // namespace
}  // namespace portatune::test
