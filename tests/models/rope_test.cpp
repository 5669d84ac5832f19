// Rotary frequencies, compared with those of transformers (tests/oracle/models/make_rope_cases.py).
#include "portatune/models/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"

namespace portatune::test {
namespace {

using models::RopeFrequencies;
using models::RopeParameters;

io::JsonObject json(const std::string& text) { return io::JsonObject::parse(text, "config.json"); }

TEST(Rope, FrequenciesMatchTransformers) {
  const auto file = io::JsonObject::read(std::filesystem::path(PORTATUNE_TEST_DATA) / "rope.json");
  const std::vector<io::JsonObject> cases = file.get_objects("cases");
  ASSERT_EQ(cases.size(), 12u);
  for (const io::JsonObject& c : cases) {
    const int64_t length = c.get_int("max_position_embeddings");
    const RopeParameters p = models::rope_parameters(*c.get_object("config"), {.rope_theta = 1}, length);
    const RopeFrequencies found = models::rope_frequencies(p, c.get_int("head_size"), length, c.get_int("seq"));
    const std::vector<double> wanted = c.get_floats("inverse");
    ASSERT_EQ(found.inverse.size(), wanted.size());
    // We round to float32 twice; transformers rounds after every operation.
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found.inverse[i] / wanted[i], 1, 1e-6) << p.rope_type << i;
    EXPECT_NEAR(found.attention_factor, c.get_float("attention_factor"), 1e-9) << p.rope_type;
  }
}

TEST(Rope, ReadsTheFormBeforeTransformers5) {
  const RopeParameters linear = models::rope_parameters(
      json(R"({"rope_theta": 5000, "rope_scaling": {"type": "linear", "factor": 2}})"), {}, 128);
  EXPECT_EQ(linear.rope_type, "linear");
  EXPECT_EQ(linear.rope_theta, 5000);
  EXPECT_EQ(linear.factor, 2);
  const RopeParameters plain = models::rope_parameters(json(R"({"rope_scaling": null})"), {}, 128);
  EXPECT_EQ(plain.rope_type, "default");
  EXPECT_EQ(plain.rope_theta, 10000);
}

TEST(Rope, APartOfAHeadHasTheFrequenciesOfASmallerHead) {
  const RopeParameters whole{.rope_theta = 100};
  const RopeParameters part = models::rope_parameters(
      json(R"({"rope_parameters": {"partial_rotary_factor": 0.4, "rope_theta": 100}})"), {}, 128);
  EXPECT_EQ(models::rope_frequencies(part, 10, 128, 64).inverse, models::rope_frequencies(whole, 4, 128, 64).inverse);
}

TEST(Rope, TablesHoldScaledCosinesAndSines) {
  const Value positions = constant(Tensor({1, 2}, {int32_t{0}, int32_t{3}}));
  const models::RopeTables tables = models::rope_tables({{1.0f, 0.5f}, 2}, positions);
  EXPECT_EQ(tables.cos.shape(), (Shape{1, 2, 2}));
  const std::vector<double> cosines = elements(tables.cos), sines = elements(tables.sin);
  const double angles[] = {0, 0, 3, 1.5};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(cosines[i], 2 * std::cos(angles[i]), 1e-6);
    EXPECT_NEAR(sines[i], 2 * std::sin(angles[i]), 1e-6);
  }
}

TEST(Rope, ErrorsNameTheKey) {
  const auto expect_error = [](const std::string& config, const std::string& part) {
    try {
      models::rope_frequencies(models::rope_parameters(json(config), {}, 128), 6, 128, 64);
      FAIL() << "no error";
    } catch (const CheckpointError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_error(R"({"rope_scaling": {"type": "su"}})", "\"su\"");
  expect_error(R"({"rope_scaling": {"type": "linear"}})", "factor");
  expect_error(R"({"rope_parameters": {"rope_type": "longrope", "short_factor": [1, 2], "long_factor": [1, 2]}})",
               "half the head size");
  expect_error(R"({"partial_rotary_factor": 0.5})", "partial_rotary_factor");
}

}  // namespace
}  // namespace portatune::test
