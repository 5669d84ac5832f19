// tests/oracle/models/make_ctc_cases.py writes tests/data/ctc.json with results of torch.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "graph/ops/composites.h"
#include "portatune/ops.h"
#include "runtime/pjrt/aot.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using Ids = std::vector<int32_t>;

void append(const json& values, std::vector<double>& flat) {
  if (!values.is_array()) {
    flat.push_back(values.get<double>());
    return;
  }
  for (const json& inner : values) append(inner, flat);
}

std::vector<double> flat(const json& values) {
  std::vector<double> all;
  append(values, all);
  return all;
}

Value ids(const json& values, const Shape& shape) {
  const std::vector<double> all = flat(values);
  const Ids narrow(all.begin(), all.end());
  return constant(Tensor(shape, std::span<const int32_t>(narrow)));
}

class CtcLossOf : public ::testing::TestWithParam<const char*> {};

TEST_P(CtcLossOf, HasTheLossesAndTheGradientOfTorch) {
  const json c = json::parse(std::ifstream(std::string(PORTATUNE_TEST_DATA) + "/ctc.json")).at(GetParam());
  const int64_t batch = std::ssize(c["labels"]), labels = std::ssize(c["labels"][0]),
                frames = std::ssize(c["logits"][0]), classes = std::ssize(c["logits"][0][0]);
  const std::vector<double> numbers = flat(c["logits"]);
  const Tensor logits({batch, frames, classes}, std::span<const double>(numbers));
  const Value x = parameter("logits", logits.type());
  const Value losses =
      ctc_loss(log_softmax(x, 2), ids(c["labels"], {batch, labels}), ids(c["frame_lengths"], {batch}),
               ids(c["label_lengths"], {batch}), {.blank = c["blank"], .zero_infinity = c["zero_infinity"]});
  const std::vector<Tensor> found = evaluate({losses, gradients(sum(losses), {&x, 1})[0]}, {x}, {logits});
  const std::vector<double> wanted_losses = flat(c["losses"]), wanted = flat(c["gradient"]);
  for (size_t i = 0; i < wanted_losses.size(); ++i) EXPECT_NEAR(found[0].as<double>()[i], wanted_losses[i], 1e-9) << i;
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[1].as<double>()[i], wanted[i], 1e-9) << i;
}

INSTANTIATE_TEST_SUITE_P(Torch, CtcLossOf, ::testing::Values("repeats", "lengths", "tight", "infeasible"),
                         [](const auto& info) { return info.param; });

// The labels to which a sequence of classes collapses: without repeats, then without blanks.
Ids collapsed(const Ids& classes, int32_t blank) {
  Ids labels;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] != blank && (i == 0 || classes[i] != classes[i - 1])) labels.push_back(classes[i]);
  }
  return labels;
}

// For every sequence of labels the sum over all sequences of classes that collapse to it.
TEST(CtcLoss, IsTheSumOverAllAlignments) {
  constexpr int64_t kFrames = 5, kClasses = 3;
  constexpr int32_t kBlank = 1;
  const Tensor numbers = random({1, kFrames, kClasses}, 3);
  const Value log_probs = log_softmax(constant(numbers), 2);
  const std::vector<double> logs = elements(log_probs);
  std::map<Ids, double> probabilities;
  for (int code = 0; code < std::pow(kClasses, kFrames); ++code) {
    Ids classes;
    double log_probability = 0;
    for (int frame = 0, rest = code; frame < kFrames; ++frame, rest /= kClasses) {
      classes.push_back(rest % kClasses);
      log_probability += logs[static_cast<size_t>(frame * kClasses + classes.back())];
    }
    probabilities[collapsed(classes, kBlank)] += std::exp(log_probability);
  }
  Ids rows, lengths;
  for (const auto& [labels, probability] : probabilities) {
    EXPECT_LE(min_ctc_frames(labels), kFrames);
    rows.insert(rows.end(), labels.begin(), labels.end());
    rows.resize(kFrames * (lengths.size() + 1), -100);
    lengths.push_back(static_cast<int32_t>(labels.size()));
  }
  const int64_t count = std::ssize(lengths);
  const std::vector<double> losses = elements(ctc_loss(
      broadcast_to(log_probs, {count, kFrames, kClasses}),
      constant(Tensor({count, kFrames}, std::span<const int32_t>(rows))), full({DType::kInt32, {count}}, kFrames),
      constant(Tensor({count}, std::span<const int32_t>(lengths))), {.blank = kBlank}));
  size_t row = 0;
  for (const auto& [labels, probability] : probabilities) EXPECT_NEAR(losses[row++], -std::log(probability), 1e-9);
}

TEST(CtcLoss, GradientMatchesFiniteDifferences) {
  const Value labels = constant(Tensor({2, 3}, {1, 1, 2, 3, -100, -100}));
  const Value frames = constant(Tensor({2}, {6, 4})), lengths = constant(Tensor({2}, {3, 1}));
  check_gradient([&](const Values& x) { return ctc_loss(x[0], labels, frames, lengths, {.blank = 0}); },
                 {random({2, 6, 4}, 5)});
}

TEST(CtcLoss, OfARowWithoutAlignmentIsInfinite) {
  const Value x = parameter("x", {kF32, {2, 3, 3}});
  const Value labels = constant(Tensor({2, 2}, {1, 1, 1, 2}));
  const Value loss = ctc_loss(log_softmax(x, 2), labels, constant(Tensor({2}, {2, 2})), constant(Tensor({2}, {2, 2})));
  const std::vector<Tensor> found =
      evaluate({loss, gradients(sum(loss), {&x, 1})[0]}, {x}, {random(TensorType{kF32, {2, 3, 3}})});
  EXPECT_EQ(found[0].as<float>()[0], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isfinite(found[0].as<float>()[1]));
  for (size_t i = 0; i < 18; ++i) {
    // Frame 2 is padding; the first row has no gradient.
    if (i % 9 >= 6)
      EXPECT_EQ(found[1].as<float>()[i], 0) << i;
    else
      EXPECT_EQ(std::isnan(found[1].as<float>()[i]), i < 9) << i;
  }
}

TEST(MinCtcFrames, CountsLabelsAndRepeats) {
  EXPECT_EQ(min_ctc_frames({}), 0);
  EXPECT_EQ(min_ctc_frames(Ids{4}), 1);
  EXPECT_EQ(min_ctc_frames(Ids{1, 1, 2, 2, 2, 1}), 9);
}

// Long rows, whose probabilities are far below the smallest float.
TEST(CtcLoss, IsFiniteForLongRows) {
  const Value x = parameter("x", {kF32, {1, 600, 8}});
  Ids text(200);
  for (size_t i = 0; i < text.size(); ++i) text[i] = 1 + static_cast<int32_t>(i * 5 % 7);
  const Value loss = ctc_loss(log_softmax(x, 2), constant(Tensor({1, 200}, std::span<const int32_t>(text))),
                              constant(Tensor({1}, {600})), constant(Tensor({1}, {200})));
  const std::vector<Tensor> zeros{Tensor(x.type())};
  const std::vector<Tensor> found = evaluate({loss, gradients(sum(loss), {&x, 1})[0]}, {x}, zeros);
  // All alignments are equally probable, and there are binomial(600 + 200, 2 * 200) of them.
  const double alignments = std::lgamma(801) - 2 * std::lgamma(401);
  EXPECT_NEAR(found[0].as<float>()[0], 600 * std::log(8) - alignments, 0.05);
  for (const float value : found[1].as<float>()) ASSERT_TRUE(std::isfinite(value));
}

TEST(CtcLoss, ErrorsNameTheOperands) {
  const auto build = [](const Shape& log_probs, const Shape& labels, int64_t lengths, int64_t blank) {
    return [=] {
      const auto zeros = [](const Shape& shape) { return full({DType::kInt32, shape}, 0); };
      ctc_loss(constant(random(log_probs)), zeros(labels), zeros({lengths}), zeros({lengths}), {.blank = blank});
    };
  };
  expect_shape_error(build({2, 5}, {2, 3}, 2, 0), {"ctc_loss", "[2, 5]", "log_probs [batch, frames, classes]"});
  expect_shape_error(build({2, 5, 4}, {3, 3}, 2, 0), {"[3, 3]", "labels [batch, labels]"});
  expect_shape_error(build({2, 5, 4}, {2, 0}, 2, 0), {"at least one"});
  expect_shape_error(build({2, 5, 4}, {2, 3}, 3, 0), {"numbers of frames and of labels"});
  expect_shape_error(build({2, 5, 4}, {2, 3}, 2, 4), {"blank 4"});
}

class CtcAot : public ::testing::TestWithParam<pjrt::AotTarget> {};

TEST_P(CtcAot, CompilesWithItsGradient) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const Value x = parameter("x", {kF32, {2, 50, 32}}), labels = parameter("labels", {DType::kInt32, {2, 10}});
  const Value frames = parameter("frames", {DType::kInt32, {2}}), lengths = parameter("lengths", frames.type());
  const Value loss = sum(ctc_loss(log_softmax(x, 2), labels, frames, lengths));
  const Function function{.parameters = {x, labels, frames, lengths}, .results = {loss, gradients(loss, {&x, 1})[0]}};
  EXPECT_NO_THROW(pjrt::aot_topology(GetParam()).compile(to_stablehlo(function, {})));
}

INSTANTIATE_TEST_SUITE_P(Aot, CtcAot, ::testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);

}  // namespace
}  // namespace portatune::test
