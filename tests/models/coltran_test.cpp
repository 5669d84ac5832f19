// The Colorization Transformer against the original layers: tests/data/coltran, made by
// tests/oracle/models/make_coltran_cases.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/io/file/file.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/io/text/json.h"
#include "portatune/media_models.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

namespace fs = std::filesystem;
using test::evaluate;
using testing::HasSubstr;

constexpr int64_t kStride = 16;   // of the stored logits
constexpr size_t kMaxFull = 512;  // elements of a gradient that is stored as a whole

const fs::path kFolder = fs::path(PORTATUNE_TEST_DATA) / "coltran";
const std::vector<std::string> kColorizers = {"colorizer", "colorizer_activations", "colorizer_shifts"};

Tensor tensor_of(const io::SafetensorsFile& file, const std::string& name) {
  const auto view = file.find(name);
  if (!view) throw std::runtime_error("no tensor " + name);
  Tensor tensor(view->type);
  std::copy_n(view->data, view->type.bytes(), tensor.data());
  return tensor;
}

// A model with the weights of a case, and the results of the original.
struct ColTranCase {
  explicit ColTranCase(const std::string& name)
      : model(color_model(io::JsonObject::read(kFolder / name / "config.json"))),
        weights(io::SafetensorsFile::open(kFolder / name / "model.safetensors")),
        expected(io::SafetensorsFile::open(kFolder / name / "expected.safetensors")) {}

  Value input(const std::string& name) const { return constant(tensor_of(expected, name)); }
  const Colorizer& colorizer() const { return dynamic_cast<const Colorizer&>(*model); }
  const ColorUpsampler& upsampler() const { return dynamic_cast<const ColorUpsampler&>(*model); }

  // The values of results that depend on the parameters of the context, with the weights of the case.
  std::vector<Tensor> values_of(const Values& results, const nn::Context& context,
                                const Device& device = test::decompositions()) const {
    Values parameters;
    std::vector<Tensor> values;
    for (const nn::Parameter& parameter : context.parameters()) {
      parameters.push_back(parameter.input);
      values.push_back(tensor_of(weights, parameter.name));
      EXPECT_EQ(values.back().shape(), parameter.type.shape) << parameter.name;
    }
    return evaluate(results, parameters, values, device);
  }

  const std::unique_ptr<ColorModel> model;
  const io::SafetensorsFile weights, expected;
};

// Mean cross-entropy in bits; colors are those of the logits without the last axis.
Value bits(const Value& logits, const Value& colors) {
  const Value chosen =
      compare(Direction::kEqual, expand_dims(colors, -1), iota({DType::kInt32, {logits.shape().back()}}, 0));
  const Value log_probability = sum(convert(chosen, DType::kFloat32) * log_softmax(logits, -1), {logits.rank() - 1});
  return -sum(log_probability) / (static_cast<double>(colors.shape().elements()) * std::log(2.0));
}

void expect_near(const std::vector<float>& found, const std::vector<float>& wanted, const std::string& name) {
  ASSERT_EQ(found.size(), wanted.size()) << name;
  float largest = 0;
  for (const float value : wanted) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 1e-5 + 3e-5 * largest) << name << " " << i;
}

std::vector<float> every(int64_t stride, const Tensor& logits) {
  std::vector<float> found;
  const auto all = logits.as<float>();
  for (size_t i = 0; i < all.size(); i += static_cast<size_t>(stride)) found.push_back(all[i]);
  return found;
}

// A gradient as the script stores it.
std::vector<float> stored(const Tensor& gradient) {
  const auto all = gradient.as<float>();
  if (all.size() <= kMaxFull) return {all.begin(), all.end()};
  const auto rows = static_cast<size_t>(gradient.shape()[0]), columns = static_cast<size_t>(gradient.shape()[1]);
  std::vector<double> sums(columns + rows);
  for (size_t i = 0; i < all.size(); ++i) {
    sums[i % columns] += static_cast<double>(all[i]);
    sums[columns + i / columns] += static_cast<double>(all[i]);
  }
  return {sums.begin(), sums.end()};
}

void expect_original(const ColTranCase& c, const nn::Context& context, const std::map<std::string, Value>& logits,
                     const std::map<std::string, Value>& losses, const Value& total, const Device& device) {
  Values results, weights;
  for (const auto& [name, value] : logits) results.push_back(value);
  for (const auto& [name, value] : losses) results.push_back(value);
  for (const nn::Parameter& parameter : context.parameters()) weights.push_back(parameter.input);
  for (const Value& gradient : gradients(total, weights)) results.push_back(gradient);
  const std::vector<Tensor> found = c.values_of(results, context, device);
  size_t next = 0;
  for (const auto& [name, value] : logits) {
    expect_near(every(kStride, found[next++]), to_floats(tensor_of(c.expected, name).view()), name);
  }
  for (const auto& [name, value] : losses) {
    EXPECT_NEAR(found[next++].as<float>()[0], tensor_of(c.expected, name).as<float>()[0], 1e-5) << name;
  }
  for (const nn::Parameter& parameter : context.parameters()) {
    const std::string name = "grad." + parameter.name;
    expect_near(stored(found[next++]), to_floats(tensor_of(c.expected, name).view()), name);
  }
  EXPECT_EQ(context.parameters().size(), c.weights.entries().size());
}

void expect_original_colorizer(const std::string& name, const Device& device) {
  SCOPED_TRACE(name);
  const ColTranCase c(name);
  nn::Context context({});
  const Value colors = c.input("colors");
  const auto [autoregressive, parallel] = c.colorizer().logits(nn::Scope(context), c.input("gray"), colors);
  std::map<std::string, Value> logits = {{"logits", autoregressive}}, losses = {{"loss", bits(autoregressive, colors)}};
  Value total = losses.at("loss");
  if (parallel) {
    logits.emplace("parallel_logits", parallel);
    losses.emplace("parallel_loss", bits(parallel, colors));
    total = 0.99 * total + 0.01 * losses.at("parallel_loss");
  }
  expect_original(c, context, logits, losses, total, device);
}

TEST(ColTran, ColorizerHasLogitsLossesAndGradientsOfTheOriginal) {
  for (const std::string& name : kColorizers) expect_original_colorizer(name, test::decompositions());
}

TEST(ColTran, KernelsComputeTheSame) { expect_original_colorizer("colorizer", test::kernels()); }

TEST(ColTran, UpsamplersHaveLogitsLossesAndGradientsOfTheOriginal) {
  for (const std::string name : {"color_upsampler", "spatial_upsampler"}) {
    SCOPED_TRACE(name);
    const ColTranCase c(name);
    nn::Context context({});
    const Value logits = c.upsampler().logits(nn::Scope(context), c.input("gray"), c.input("channels"));
    const Value loss = bits(logits, c.input("colors"));
    expect_original(c, context, {{"logits", logits}}, {{"loss", loss}}, loss, test::decompositions());
  }
}

// The logits of a pixel do not depend on its colour or on those of later pixels, and they depend on those of earlier
// ones: a batch has a picture, and then the same with another colour at each of its pixels in turn.
TEST(ColTran, PixelsDoNotSeeLaterColors) {
  constexpr int64_t kSide = 4, kPixels = kSide * kSide, kLogits = kPixels * kCoarseColors;
  for (const std::string& name : kColorizers) {
    SCOPED_TRACE(name);
    const ColTranCase c(name);
    const Tensor original = tensor_of(c.expected, "colors");
    Tensor colors(TensorType{DType::kInt32, {1 + kPixels, kSide, kSide}});
    for (int64_t i = 0; i < colors.shape().elements(); ++i) {
      const int64_t picture = i / kPixels, pixel = i % kPixels;
      const int32_t color = original.as<int32_t>()[static_cast<size_t>(pixel)];
      colors.as<int32_t>()[static_cast<size_t>(i)] = picture == 1 + pixel ? (color + 17) % kCoarseColors : color;
    }
    nn::Context context({});
    const Value gray = broadcast_to(slice(c.input("gray"), 0, {0, 1}), colors.shape());
    const Value logits = c.colorizer().logits(nn::Scope(context), gray, constant(colors)).autoregressive;
    const Tensor found = c.values_of({logits}, context)[0];
    const auto all = found.as<float>();
    for (int64_t pixel = 0; pixel < kPixels; ++pixel) {
      float up_to = 0, behind = 0;
      for (int64_t i = 0; i < kLogits; ++i) {
        const float change =
            std::abs(all[static_cast<size_t>((1 + pixel) * kLogits + i)] - all[static_cast<size_t>(i)]);
        float& largest = i / kCoarseColors <= pixel ? up_to : behind;
        largest = std::max(largest, change);
      }
      EXPECT_LT(up_to, 2e-6) << pixel;
      if (pixel + 1 < kPixels) {
        EXPECT_GT(behind, 1e-4) << pixel;
      }
    }
  }
}

// Colours that were chosen pixel by pixel are the most probable ones by the logits of the whole picture.
TEST(ColTran, ColorsPixelByPixelAreThoseOfTheWholePicture) {
  for (const std::string& name : kColorizers) {
    SCOPED_TRACE(name);
    const ColTranCase c(name);
    nn::Context context({});
    const nn::Scope root(context);
    const auto most_probable = [](const Value& logits, const Value&) { return argmax(logits, 1); };
    const Value colors = c.colorizer().colors(root, c.input("gray"), most_probable);
    const Value logits = c.colorizer().logits(root, c.input("gray"), colors).autoregressive;
    const std::vector<Tensor> found = c.values_of({colors, argmax(logits, 3)}, context);
    EXPECT_THAT(found[0].as<int32_t>(), testing::ElementsAreArray(found[1].as<int32_t>()));
    EXPECT_EQ(found[0].shape(), tensor_of(c.expected, "colors").shape());
  }
}

// The pixel that a choice gets counts from 0 in the order of reading.
TEST(ColTran, ChoicesKnowTheirPixel) {
  const ColTranCase c("colorizer");
  nn::Context context({});
  const auto number = [](const Value& logits, const Value& pixel) { return broadcast_to(pixel, {logits.shape()[0]}); };
  const Value colors = c.colorizer().colors(nn::Scope(context), c.input("gray"), number);
  const Tensor found = c.values_of({colors}, context)[0];
  for (int32_t i = 0; i < 32; ++i) EXPECT_EQ(found.as<int32_t>()[static_cast<size_t>(i)], i % 16);
}

io::JsonObject coltran_config_with(const std::string& fields) {
  nlohmann::json config = {{"model_type", "coltran"},
                           {"architectures", {"ColTranColorizer"}},
                           {"hidden_size", 64},
                           {"num_heads", 4},
                           {"downsample_res", 8}};
  config.update(nlohmann::json::parse("{" + fields + "}"));
  return io::JsonObject::parse(config.dump(), "config.json");
}

// The initial values have the variance of Keras' Glorot initializer: 2 / (inputs + outputs), where it takes the first
// axes of a kernel [hidden, heads, size] for those of a convolution.
TEST(ColTran, NewWeightsHaveTheVarianceOfTheOriginal) {
  const auto model = color_model(coltran_config_with(""));
  nn::Context context({.initializer_range = 1});
  const Value pixels = full({DType::kInt32, {1, 8, 8}}, 0);
  dynamic_cast<const Colorizer&>(*model).logits(nn::Scope(context), pixels, pixels);
  const std::map<std::string, double> variances = {
      {"auto_logits.weight", 2.0 / (64 + 512)},
      {"pixel_embedding.weight", 2.0 / (512 + 64)},
      {"encoder.embedding.weight", 2.0 / (256 + 64)},
      {"encoder.layer.0.row_attention.q.weight", 2.0 / (64 * 4 + 64 * 16)},
      {"outer_decoder.layer.0.row_attention.cond_q.weight", 2.0 / (64 * 4 + 64 * 32)},
      {"encoder.layer.0.row_attention.output.weight", 2.0 / (4 * 16 + 4 * 64)},
      {"encoder.positions.column", 1.0 / 64}};
  size_t found = 0;
  for (const nn::Parameter& parameter : context.parameters()) {
    const auto wanted = variances.find(parameter.name);
    if (wanted == variances.end()) continue;
    ++found;
    const Tensor drawn = hub::draw(parameter, 1);
    double squares = 0;
    for (const float value : drawn.as<float>()) squares += static_cast<double>(value) * static_cast<double>(value);
    const auto count = static_cast<double>(drawn.shape().elements());
    EXPECT_NEAR(squares / count / wanted->second, 1, 5 * std::sqrt(2 / count)) << parameter.name;
  }
  EXPECT_EQ(found, variances.size());
}

std::string coltran_refusal(const std::string& fields) {
  try {
    color_model(coltran_config_with(fields));
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no CheckpointError";
}

TEST(ColTran, RefusesBadConfigsByName) {
  EXPECT_THAT(coltran_refusal(R"("architectures": ["ColTranCore"])"), HasSubstr("ColTranSpatialUpsampler"));
  EXPECT_THAT(coltran_refusal(R"("num_heads": 5)"), HasSubstr("num_heads"));
  EXPECT_THAT(coltran_refusal(R"("resolution": [64, 32])"),
              testing::AllOf(HasSubstr("resolution"), HasSubstr("[64, 32]")));
  EXPECT_THAT(coltran_refusal(R"("resolution": [64])"), HasSubstr("[256, 256]"));
  EXPECT_THAT(coltran_refusal(R"("cond_mlp": "scale")"), HasSubstr("cond_mlp"));
  EXPECT_THAT(coltran_refusal(R"("cond_ln_act": "gelu")"), HasSubstr("cond_ln_act"));
  EXPECT_THAT(coltran_refusal(R"("stage": "encoder")"), HasSubstr("encoder_decoder"));
  EXPECT_THAT(coltran_refusal(R"("dropout": 1)"), HasSubstr("dropout"));
}

}  // namespace
}  // namespace portatune::models
