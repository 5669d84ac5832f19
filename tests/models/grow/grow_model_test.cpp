#include "portatune/models/grow/grow_model.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "models/cases.h"
#include "models/expect_passed.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/models/layer_stacks.h"

namespace portatune::grow {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using parity::ReferenceCase;
using testing::AllOf;
using testing::HasSubstr;

json config_of(const fs::path& folder) { return json::parse(std::ifstream(folder / "config.json")); }

// Outputs, loss and gradients, compared with those that the case has. Texts are not generated.
parity::ParityResult compared(const fs::path& folder, const Device& device) {
  const ReferenceCase reference(folder);
  return parity::check_parity(device, reference, parity::ReferenceTask(reference), DType::kFloat32);
}

// A larger model of a case, with those of its expected outputs that `is_kept` selects.
class GrownCase {
 public:
  GrownCase(const std::string& name, const GrowthOptions& options, bool (*is_kept)(const std::string&)) {
    const fs::path small = test::case_folder(name);
    growth_ = grow_model(small, folder_.path() / "big", options);
    for (const char* file : {"case.json", "inputs.safetensors"}) fs::copy_file(small / file, path() / file);
    const io::SafetensorsFile expected = io::SafetensorsFile::open(small / "expected.safetensors");
    std::vector<NamedTensorView> kept;
    for (const io::SafetensorsEntry& entry : expected.entries()) {
      if (is_kept(entry.name)) kept.push_back({entry.name, expected.view(entry)});
    }
    io::write_safetensors(path() / "expected.safetensors", kept);
  }

  // Adds the expected gradients of parameters that are no larger.
  void expect_gradients(const std::string& name) const {
    const io::SafetensorsFile model = io::SafetensorsFile::open(path() / "model.safetensors"),
                              expected = io::SafetensorsFile::open(test::case_folder(name) / "grads.safetensors");
    std::vector<NamedTensorView> kept;
    for (const io::SafetensorsEntry& entry : model.entries()) {
      const auto gradient = expected.find(entry.name);
      if (gradient && gradient->type.shape == entry.type.shape) kept.push_back({entry.name, *gradient});
    }
    io::write_safetensors(path() / "grads.safetensors", kept);
  }

  fs::path path() const { return folder_.path() / "big"; }
  const Growth& growth() const { return growth_; }
  parity::ParityResult compare() const { return compared(path(), test::kernels()); }

 private:
  TemporaryFolder folder_;
  Growth growth_;
};

bool any(const std::string&) { return true; }
bool is_of_head(const std::string& name) { return name.find("hidden_states") == std::string::npos; }
bool is_embedding(const std::string& name) { return name.ends_with("hidden_states.0"); }

// One case for each architecture whose layers have their own weights.
std::vector<std::string> growable_cases() {
  std::vector<std::string> names = test::whole_cases();
  // ALBERT's layers share their weights, and the head of this wav2vec2 reads all layers.
  std::erase_if(names, [](const std::string& name) { return name == "albert_softmax" || name == "wav2vec2_softmax"; });
  names.insert(names.end(), {"opt_350m", "wav2vec2_ctc", "wav2vec2_stable"});
  return names;
}

class GrowArchitecture : public testing::TestWithParam<std::string> {
 protected:
  models::LayerStacks stacks() const {
    return models::layer_stacks(io::JsonObject::read(test::case_folder(GetParam()) / "config.json"));
  }
  // A number of layers that both stacks do not have.
  int64_t more_layers() const {
    const json config = config_of(test::case_folder(GetParam()));
    int64_t layers = 0;
    for (const models::LayerStack& stack : stacks()) layers = std::max(layers, config.value(stack.layers_field, 0L));
    return layers + 1;
  }
};

TEST_P(GrowArchitecture, WiderLayersComputeWhatTransformersComputedBefore) {
  const GrownCase deeper(GetParam(), {.layers = more_layers()}, any);
  int64_t width = 1;
  for (const StackSizes& stack : deeper.growth().before) width = std::lcm(width, stack.intermediate_size);
  const GrownCase grown(GetParam(), {.intermediate_size = 3 * width, .noise = 0}, any);
  EXPECT_EQ(grown.growth().after.front().intermediate_size, 3 * width);
  const parity::ParityResult result = grown.compare();
  test::expect_passed(result);
  for (const parity::Comparison& one : result.comparisons) {
    if (one.kind == "output") {
      EXPECT_LE(one.max_rel_error, 1e-5) << one.tensor;
    }
  }
}

TEST_P(GrowArchitecture, AdditionalLayersAreComplete) {
  const bool can_be_silent = !stacks().front().added_parts.empty();
  const Depth depth = can_be_silent ? Depth::kZero : Depth::kInterpolate;
  const GrownCase grown(GetParam(), {.layers = more_layers(), .depth = depth},
                        can_be_silent ? is_of_head : is_embedding);
  test::expect_passed(grown.compare());
}

INSTANTIATE_TEST_SUITE_P(Models, GrowArchitecture, testing::ValuesIn(growable_cases()),
                         [](const auto& info) { return info.param; });

std::map<std::string, Tensor> weights_in(const fs::path& folder) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(folder / "model.safetensors");
  std::map<std::string, Tensor> weights;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    Tensor tensor(entry.type);
    std::memcpy(tensor.data(), file.view(entry).data, static_cast<size_t>(entry.type.bytes()));
    weights.emplace(entry.name, std::move(tensor));
  }
  return weights;
}

bool are_equal(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::memcmp(a.data(), b.data(), static_cast<size_t>(a.type().bytes())) == 0;
}

// Rows or columns begin .. begin + count of a matrix.
std::vector<float> part_of(const Tensor& matrix, int64_t axis, int64_t begin, int64_t count) {
  std::vector<float> part;
  for (int64_t i = 0; i < matrix.shape()[0]; ++i) {
    for (int64_t j = 0; j < matrix.shape()[1]; ++j) {
      const int64_t at = axis == 0 ? i : j;
      if (at >= begin && at < begin + count) {
        part.push_back(matrix.as<float>()[static_cast<size_t>(i * matrix.shape()[1] + j)]);
      }
    }
  }
  return part;
}

// The kernels of a feed-forward layer, and the axis of their features.
struct Kernels {
  std::string name;
  std::string input, output;
  int64_t input_axis, output_axis;
};
const std::vector<Kernels> kKernels = {
    {"bert_softmax", "bert.encoder.layer.1.intermediate.dense.weight", "bert.encoder.layer.1.output.dense.weight", 0,
     1},
    {"gpt2_lm", "transformer.h.1.mlp.c_fc.weight", "transformer.h.1.mlp.c_proj.weight", 1, 0},
    {"llama_lm", "model.layers.1.mlp.up_proj.weight", "model.layers.1.mlp.down_proj.weight", 0, 1},
};

GrowthOptions twice_as_wide(const std::string& name, double noise) {
  TemporaryFolder folder;
  const Growth same = grow_model(test::case_folder(name), folder.path() / "same", {.layers = 1000});
  return {.intermediate_size = 2 * same.before.front().intermediate_size, .noise = noise, .seed = 3};
}

TEST(GrowModel, GradientsOfCopiesAreEqualWithoutNoise) {
  for (const Kernels& of_case : kKernels) {
    const GrowthOptions options = twice_as_wide(of_case.name, 0);
    const int64_t width = options.intermediate_size / 2;
    const GrownCase grown(of_case.name, options, any);
    grown.expect_gradients(of_case.name);
    const parity::ParityResult result = grown.compare();
    test::expect_passed(result);
    for (const auto& [name, axis] :
         {std::pair(of_case.input, of_case.input_axis), {of_case.output, of_case.output_axis}}) {
      const auto gradient = std::ranges::find(result.grads, name, &parity::NamedTensors::value_type::first);
      ASSERT_NE(gradient, result.grads.end()) << name;
      EXPECT_EQ(part_of(gradient->second, axis, 0, width), part_of(gradient->second, axis, width, width)) << name;
      EXPECT_THAT(part_of(gradient->second, axis, 0, width), testing::Contains(testing::Ne(0))) << name;
    }
  }
}

TEST(GrowModel, NoiseMakesCopiesDifferAndKeepsOriginals) {
  for (const Kernels& of_case : kKernels) {
    const GrowthOptions options = twice_as_wide(of_case.name, 0.01);
    const int64_t width = options.intermediate_size / 2;
    const GrownCase grown(of_case.name, options, any), again(of_case.name, options, any);
    const Tensor before = weights_in(test::case_folder(of_case.name)).at(of_case.input);
    const Tensor after = weights_in(grown.path()).at(of_case.input);
    EXPECT_EQ(part_of(after, of_case.input_axis, 0, width), part_of(before, of_case.input_axis, 0, width));
    EXPECT_NE(part_of(after, of_case.input_axis, width, width), part_of(before, of_case.input_axis, 0, width));
    EXPECT_TRUE(are_equal(after, weights_in(again.path()).at(of_case.input))) << "the same seed";
  }
}

TEST(GrowModel, SilentLayersKeepTheBitsOfTheLogits) {
  for (const char* name : {"gpt2_lm", "llama_lm"}) {
    const parity::ParityResult before = compared(test::case_folder(name), test::decompositions());
    const GrownCase grown(name, {.layers = 5, .depth = Depth::kZero}, is_of_head);
    const parity::ParityResult after = compared(grown.path(), test::decompositions());
    const auto logits = [](const parity::ParityResult& result) -> const Tensor& {
      return std::ranges::find(result.expected, "logits", &parity::NamedTensors::value_type::first)->second;
    };
    EXPECT_TRUE(are_equal(logits(before), logits(after))) << name;
  }
}

// The layers of a larger model are those of the small one with these numbers.
void expect_layers(const std::string& name, const std::string& prefix, const GrowthOptions& options,
                   const std::vector<int>& layers) {
  TemporaryFolder folder;
  grow_model(test::case_folder(name), folder.path() / "big", options);
  const std::map<std::string, Tensor> small = weights_in(test::case_folder(name)),
                                      big = weights_in(folder.path() / "big");
  size_t compared = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::string from = prefix + std::to_string(layers[i]) + ".", to = prefix + std::to_string(i) + ".";
    for (const auto& [key, tensor] : small) {
      if (!key.starts_with(from)) continue;
      const std::string grown = to + key.substr(from.size());
      ASSERT_TRUE(big.contains(grown)) << grown;
      EXPECT_TRUE(are_equal(tensor, big.at(grown))) << grown;
      ++compared;
    }
  }
  const auto is_other = [&](const auto& entry) { return !entry.first.starts_with(prefix); };
  EXPECT_EQ(std::ssize(big), std::ranges::count_if(small, is_other) + static_cast<int64_t>(compared));
  EXPECT_EQ(config_of(folder.path() / "big")[prefix.find(".h.") != std::string::npos ? "n_layer" : "num_hidden_layers"],
            layers.size());
}

TEST(GrowModel, StackRepeatsTheLayers) {
  expect_layers("bert_softmax", "bert.encoder.layer.", {.layers = 5, .depth = Depth::kStack}, {0, 1, 0, 1, 0});
  expect_layers("gpt2_lm", "transformer.h.", {.layers = 4, .depth = Depth::kStack}, {0, 1, 0, 1});
}

TEST(GrowModel, InterpolateRepeatsEachLayer) {
  expect_layers("bert_softmax", "bert.encoder.layer.", {.layers = 5, .depth = Depth::kInterpolate}, {0, 0, 0, 1, 1});
  expect_layers("llama_lm", "model.layers.", {.layers = 4, .depth = Depth::kInterpolate}, {0, 0, 1, 1});
}

TEST(GrowModel, TypesOfLayersFollowTheLayers) {
  TemporaryFolder folder;
  const fs::path small = test::case_folder("modernbert_softmax"), big = folder.path() / "big";
  const json before = config_of(small)["layer_types"];
  const size_t layers = before.size();
  grow_model(small, big, {.layers = static_cast<int64_t>(2 * layers)});
  const json after = config_of(big)["layer_types"];
  ASSERT_EQ(after.size(), 2 * layers);
  for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], before[i % layers]);
}

// The number of a layer would decide about its attention, and another one than that of its origin.
TEST(GrowModel, LayersOfTwoKindsNeedTheirList) {
  TemporaryFolder folder;
  const fs::path small = folder.path() / "small";
  fs::copy(test::case_folder("modernbert_softmax"), small);
  json config = config_of(small);
  const size_t layers = config["layer_types"].size();
  config.erase("layer_types");
  std::ofstream(small / "config.json") << config;
  const std::string message = message_of<CheckpointError>(
      [&] { grow_model(small, folder.path() / "big", {.layers = static_cast<int64_t>(2 * layers)}); });
  EXPECT_THAT(message, HasSubstr("no layer_types"));
}

TEST(GrowModel, StacksOfAnEncoderDecoderModelMayGetTheirOwnDepth) {
  TemporaryFolder folder;
  const Growth growth =
      grow_model(test::case_folder("t5_lm"), folder.path() / "big", {.layers = 4, .decoder_layers = 6});
  EXPECT_EQ(growth.after[0].layers, 4);
  EXPECT_EQ(growth.after[1].layers, 6);
  const json config = config_of(folder.path() / "big");
  EXPECT_EQ(config["num_layers"], 4);
  EXPECT_EQ(config["num_decoder_layers"], 6);
}

std::string refusal(const std::string& name, const GrowthOptions& options) {
  TemporaryFolder folder;
  const std::string message =
      message_of<UsageError>([&] { grow_model(test::case_folder(name), folder.path() / "big", options); });
  EXPECT_FALSE(fs::exists(folder.path() / "big"));
  return message;
}

TEST(GrowModel, RefusesSizesThatDoNotFit) {
  EXPECT_THAT(refusal("bert_softmax", {}), AllOf(HasSubstr("layers"), HasSubstr("no new size")));
  EXPECT_THAT(refusal("bert_softmax", {.layers = 1}),
              AllOf(HasSubstr("1, with a model of 2"), HasSubstr("not shrink")));
  EXPECT_THAT(refusal("bert_softmax", {.intermediate_size = 1000001}),
              AllOf(HasSubstr("intermediate_size"), HasSubstr("a multiple of")));
  EXPECT_THAT(refusal("bert_softmax", {.decoder_layers = 4}), HasSubstr("an encoder-decoder model"));
  EXPECT_THAT(refusal("wav2vec2_stable_weighted", {.layers = 4}), HasSubstr("use_weighted_layer_sum"));
}

TEST(GrowModel, RefusesSilentLayersThatEndWithANorm) {
  for (const char* name : {"bert_softmax", "opt_350m", "bart_lm"}) {
    EXPECT_THAT(refusal(name, {.layers = 4, .depth = Depth::kZero}),
                AllOf(HasSubstr("depth"), HasSubstr("stack or interpolate")));
  }
}

TEST(GrowModel, RefusesFamiliesWithoutLayersOfTheirOwn) {
  TemporaryFolder folder;
  const auto message = [&](const fs::path& model) {
    return message_of<CheckpointError>([&] { grow_model(model, folder.path() / "big", {.layers = 4}); });
  };
  EXPECT_THAT(message(test::case_folder("albert_mlm")),
              AllOf(HasSubstr("\"albert\", whose layers share their weights"), HasSubstr("bert, big_bird"),
                    HasSubstr("vit"), HasSubstr("wav2vec2")));
  fs::copy(test::case_folder("bert_softmax"), folder.path() / "other");
  json config = config_of(folder.path() / "other");
  config["model_type"] = "mamba";
  std::ofstream(folder.path() / "other" / "config.json") << config;
  EXPECT_THAT(message(folder.path() / "other"), AllOf(HasSubstr("\"mamba\""), HasSubstr("numbered layers: bart")));
}

TEST(GrowModel, RefusesWeightsThatDoNotFitTheConfig) {
  TemporaryFolder folder;
  fs::copy(test::case_folder("bert_softmax"), folder.path() / "other");
  json config = config_of(folder.path() / "other");
  config["num_hidden_layers"] = 3;
  std::ofstream(folder.path() / "other" / "config.json") << config;
  EXPECT_THAT(
      message_of<CheckpointError>([&] { grow_model(folder.path() / "other", folder.path() / "big", {.layers = 4}); }),
      AllOf(HasSubstr("2 numbered layers"), HasSubstr("num_hidden_layers")));
}

}  // namespace
}  // namespace portatune::grow
