// Models without weights start as those of transformers do: tests/oracle/models/make_initial_weights.py describes the
// latter.
#include "portatune/hub/initial_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "models/case_parameters.h"
#include "models/cases.h"
#include "portatune/io/file/file.h"

namespace portatune::test {
namespace {

using Json = nlohmann::json;

constexpr int kSeeds = 40;           // models of which a parameter's statistics are taken
constexpr int kSeedsOfOracle = 200;  // MODELS in make_initial_weights.py
constexpr double kReach = 3;         // deviations that normal weights exceed
constexpr double kSigmas = 5;        // of the sampling error of a standard deviation

const Json& golden_weights() {
  static const Json kGolden =
      Json::parse(io::read_text(std::filesystem::path(PORTATUNE_TEST_DATA) / "initial_weights.json", 10'000'000));
  return kGolden;
}

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& [name, parameters] : golden_weights().items()) names.push_back(name);
  return names;
}

// The values of a parameter in several models, [kSeeds, elements].
std::vector<std::vector<float>> samples_of(const nn::Parameter& parameter) {
  std::vector<std::vector<float>> samples;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Tensor tensor = hub::draw(parameter, static_cast<uint64_t>(seed));
    const std::span<const float> values = tensor.as<float>();
    samples.emplace_back(values.begin(), values.end());
  }
  return samples;
}

// A normal distribution of this deviation, whose samples do not exceed `reach` deviations if it is truncated.
void expect_normal(const std::vector<std::vector<float>>& samples, const Json& expected, size_t width) {
  const std::set<size_t> zero_rows = expected.value("zero_rows", std::set<size_t>());
  double squares = 0, count = 0, largest = 0;
  for (const std::vector<float>& values : samples) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (zero_rows.contains(i / width)) {
        EXPECT_EQ(values[i], 0) << "row " << i / width;
        continue;
      }
      ++count;
      squares += static_cast<double>(values[i]) * values[i];
      largest = std::max(largest, std::abs(static_cast<double>(values[i])));
    }
  }
  const double deviation = std::sqrt(squares / count), wanted = expected["std"].get<double>();
  const double sampling_error = std::sqrt((1 + static_cast<double>(kSeeds) / kSeedsOfOracle) / (2 * count));
  EXPECT_NEAR(deviation / wanted, 1, kSigmas * sampling_error);
  const double reach = largest / wanted;
  if (expected.contains("reach")) {
    EXPECT_NEAR(reach, expected["reach"].get<double>(), 0.05);
  } else {
    EXPECT_GT(reach, kReach);
  }
  EXPECT_NE(samples[0], samples[1]);
}

void expect_constant(const std::vector<std::vector<float>>& samples, const Json& expected) {
  for (const float value : samples.front()) ASSERT_EQ(value, expected.get<float>());
  EXPECT_EQ(samples.front(), samples.back());
}

// Sinusoids, whose values tests/hub/initial_weights_test.cpp has.
void expect_fixed(const std::vector<std::vector<float>>& samples, const Json& expected) {
  double squares = 0;
  for (const float value : samples.front()) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(samples.front().size())), expected.get<double>(), 1e-5);
  EXPECT_EQ(samples.front(), samples.back());
}

class InitialWeightsOfModel : public ::testing::TestWithParam<std::string> {};

TEST_P(InitialWeightsOfModel, AreDistributedAsInTransformers) {
  const parity::ReferenceCase reference{case_folder(GetParam())};
  const parity::ReferenceTask task(reference);
  const Json& expected = golden_weights()[GetParam()];
  for (const nn::Parameter& parameter : parameters_of(task, reference.inputs())) {
    SCOPED_TRACE(parameter.name);
    std::vector<std::string> names = parameter.aliases;
    names.push_back(parameter.name);
    const auto known = std::ranges::find_if(names, [&](const std::string& name) { return expected.contains(name); });
    ASSERT_NE(known, names.end());
    const Json& of_parameter = expected[*known];
    const auto samples = samples_of(parameter);
    if (of_parameter.contains("constant")) {
      expect_constant(samples, of_parameter["constant"]);
    } else if (of_parameter.contains("fixed")) {
      expect_fixed(samples, of_parameter["std"]);
    } else {
      expect_normal(samples, of_parameter, static_cast<size_t>(parameter.type.shape.back()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, InitialWeightsOfModel, ::testing::ValuesIn(golden_cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
