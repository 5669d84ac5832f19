// Runs with parameter groups, layer-wise decay and averaged weights, compared with torch and timm:
// tests/oracle/train/make_parameter_groups.py.
#include "portatune/train/program/parameter_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/options.h"
#include "portatune/train/state.h"
#include "tasks/sentences.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

const json& golden_groups() {
  static const json all = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/parameter_groups.json"));
  return all;
}

// The parameters of the golden file in the order of a forward pass.
const std::vector<std::string> kNames = {"embeddings.weight",    "layer.0.dense.weight", "layer.0.dense.bias",
                                         "layer.1.dense.weight", "layer.1.dense.bias",   "classifier.weight",
                                         "classifier.bias"};

Shape shape_of(const std::string& name) { return Shape(golden_groups()["shapes"][name].get<std::vector<int64_t>>()); }

// A task whose batch has the gradients of all parameters in one row.
class GivenGradients final : public Task {
 public:
  std::vector<std::string> inputs() const override { return {"gradients", std::string(data::kExampleWeight)}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const nn::Scope layer = root / "layer";
    Values flat;
    const auto use = [&](const nn::Scope& scope, const char* name) {
      const Shape shape = shape_of(scope.path() + "." + name);
      flat.push_back(reshape(scope.parameter(name, shape, {}), {1, shape.elements()}));
    };
    use(root / "embeddings", "weight");
    for (int64_t i = 0; i < 2; ++i) {
      for (const char* name : {"weight", "bias"}) use(layer / i / "dense", name);
    }
    for (const char* name : {"weight", "bias"}) use(root / "classifier", name);
    const Value losses = sum(batch.at("gradients") * concatenate(flat, 1), {1});
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t) const override {
    InitialWeights initial;
    for (const nn::Parameter& parameter : parameters) {
      const std::vector<float> values = golden_groups()["start"][parameter.name];
      initial.values.push_back(Tensor(parameter.type.shape, std::span<const float>(values)));
    }
    return initial;
  }
  void save(const std::filesystem::path&) const override {}
};

// The gradients of a step in the golden file.
Gradients gradients_of_step(size_t step) {
  Gradients gradients;
  for (const std::string& name : kNames) {
    const std::vector<float> values = golden_groups()["gradients"][name][step];
    gradients.by_parameter.emplace_back(name, Tensor(shape_of(name), std::span<const float>(values)));
  }
  return gradients;
}

data::Example batch_of_step(size_t step) {
  std::vector<float> row;
  for (const std::string& name : kNames) {
    const std::vector<float> values = golden_groups()["gradients"][name][step];
    row.insert(row.end(), values.begin(), values.end());
  }
  data::Example example;
  example.set("gradients", Tensor({static_cast<int64_t>(row.size())}, std::span<const float>(row)));
  return *data::from_examples({example}).batch({.size = 1}).iterate().next();
}

std::vector<ParameterGroup> groups_in(const json& texts) {
  std::vector<ParameterGroup> groups;
  for (const std::string text : texts) groups.push_back(OptionType<ParameterGroup>::read(text).value());
  return groups;
}

TrainingOptions options_of(const json& o) {
  return {.learning_rate = golden_groups()["learning_rate"],
          .lr_scheduler_type = o.value("lr_scheduler_type", "constant"),
          .weight_decay = o.value("weight_decay", 0.0),
          .param_groups = groups_in(o.value("param_group", json::array())),
          .ema = o.value("ema", 0.0),
          .optim = o.value("optim", "adamw_torch"),
          .momentum = o.value("momentum", 0.0),
          .max_grad_norm = 0,
          .total_steps = 5};
}

void expect_weights(const train::TrainingState& state, const json& expected) {
  ASSERT_EQ(state.weights().names(), kNames);
  for (size_t i = 0; i < kNames.size(); ++i) {
    const std::vector<float> wanted = expected[kNames[i]];
    EXPECT_THAT(state.weights().value(i).as<float>(), Pointwise(FloatNear(2e-6f), wanted)) << kNames[i];
  }
}

TEST(ParameterGroups, AndAveragesAreThoseOfTorch) {
  const GivenGradients task;
  const Device mesh({.mesh = {.fsdp = 2}, .cache_folder = program_cache()});
  for (const json& expected : golden_groups()["cases"]) {
    SCOPED_TRACE(expected["options"].dump());
    train::TrainingState state(decompositions(), task, options_of(expected["options"]));
    train::TrainingState given(decompositions(), task, options_of(expected["options"]));
    given.load(batch_of_step(0));
    for (train::TrainingState* one : {&state, &given}) one->set_schedule(5);
    for (size_t step = 0; step < expected["after"].size(); ++step) {
      SCOPED_TRACE(step);
      const json& after = expected["after"][step];
      state.start_step(batch_of_step(step));
      expect_weights(state, after["weights"]);
      ASSERT_EQ(state.has_averages(), after.contains("average"));
      if (state.has_averages()) state.with_averages([&] { expect_weights(state, after["average"]); });
      given.apply_gradients(gradients_of_step(step), {});
      expect_weights(given, after["weights"]);
    }
    EXPECT_EQ(state.compile({}, {}), 0);
  }
}

// The rates are inputs of the program.
TEST(ParameterGroups, OfOtherRatesHaveTheSameProgram) {
  const GivenGradients task;
  const train::Signature batch = train::signature_of(task, batch_of_step(0));
  const auto program_of = [&](double rate) {
    TrainingOptions options;
    options.param_groups = {{.pattern = "classifier", .learning_rate = rate}};
    options.layer_decay = rate;
    return to_stablehlo(train::step_program(task, batch, train::step_options(options)).function, {});
  };
  EXPECT_EQ(program_of(0.25), program_of(0.75));
}

nn::Parameter parameter_of(const std::string& name, std::optional<int64_t> layer) {
  return {.name = name, .value = parameter(name, {DType::kFloat32, {2}}), .initializer = {}, .layer = layer};
}

// The parameters of timm's ViT. They have the layers of our own, which the next test compares.
TEST(LayerDecay, HasTheFactorsOfTimm) {
  const json& expected = golden_groups()["layer_factors"];
  std::vector<nn::Parameter> parameters;
  std::vector<double> wanted;
  for (const char* name : {"cls_token", "pos_embed", "patch_embed.proj.weight", "blocks.0.norm1.weight",
                           "blocks.1.mlp.fc1.bias", "blocks.2.attn.proj.weight", "head.weight", "head.bias"}) {
    const std::string text = name;
    const bool is_block = text.starts_with("blocks.");
    parameters.push_back(parameter_of(text, is_block ? std::optional<int64_t>(text[7] - '0') : std::nullopt));
    wanted.push_back(expected["factors"][name]);
  }
  const train::StepRates rates(parameters, {}, expected["layer_decay"]);
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_DOUBLE_EQ(rates.peaks(1)[rates.index(i)], wanted[i]) << parameters[i].name;
  }
}

TEST(LayerDecay, ScalesTheRatesOfGroups) {
  const std::vector<nn::Parameter> parameters{parameter_of("layer.0.weight", 0), parameter_of("layer.0.bias", 0),
                                              parameter_of("head.bias", std::nullopt)};
  const train::StepRates rates(parameters, {{.parameters = {.pattern = "bias", .learning_rate = 4}}}, 0.5);
  EXPECT_THAT(rates.peaks(1), ElementsAre(0.5, 2, 4));
}

TEST(StepRates, HaveTheWeightDecaysAbove0) {
  const std::vector<nn::Parameter> parameters{parameter_of("a", {}), parameter_of("b", {}), parameter_of("c", {})};
  TrainingOptions options{.weight_decay = 0.5, .param_groups = {{"b", {}, 0.25}, {"c", 2, 0.0}}};
  const train::StepRates rates(parameters, train::groups_of(options), 1, true);
  EXPECT_EQ(rates.type().shape, Shape{4});  // two learning rates
  EXPECT_THAT(rates.decays(options), ElementsAre(0.5, 0.25));
}

TEST(StepRates, OfOneRateAreAScalar) {
  const std::vector<nn::Parameter> parameters{parameter_of("a", {}), parameter_of("b", {})};
  EXPECT_EQ(train::StepRates(parameters, {}, 1).type().shape, Shape{});
  EXPECT_EQ(train::StepRates(parameters, {{.parameters = {.pattern = "b", .weight_decay = 0}}}, 1).type().shape,
            Shape{});
  EXPECT_EQ(train::StepRates(parameters, {{.parameters = {.pattern = "b", .learning_rate = 0}}}, 1).type().shape,
            Shape{2});
}

TEST(ParameterGroup, IsReadFromItsText) {
  using Type = OptionType<ParameterGroup>;
  EXPECT_EQ(Type::read("encoder.layer.0-5:lr=1e-3 ,weight_decay=0"), (ParameterGroup{"encoder.layer.0-5", 0.001, 0.0}));
  EXPECT_EQ(Type::read("bias: learning_rate=2"), (ParameterGroup{"bias", 2.0, std::nullopt}));
  for (const char* text : {"bias", "bias:", ": lr=1", "bias: lr", "bias: lr=x", "bias: lr=-1", "bias: lr=1, lr=2",
                           "bias: rate=1", "bias: lr=1,", "bias: lr=nan", "bias: lr=1e99"}) {
    EXPECT_EQ(Type::read(text), std::nullopt) << text;
  }
  const ParameterGroup group{"bias", 0.25, 0.0};
  EXPECT_EQ(Type::text(group), "bias: lr=0.25, weight_decay=0");
  EXPECT_EQ(Type::read(Type::text(group)), group);
}

TEST(ParameterGroups, NeedATrainedParameter) {
  const GivenGradients task;
  const train::Signature batch = train::signature_of(task, batch_of_step(0));
  const auto message = [&](const TrainingOptions& options) {
    return message_of<UsageError>([&] { train::step_program(task, batch, train::step_options(options)); });
  };
  EXPECT_THAT(message({.param_groups = {{.pattern = "pooler", .learning_rate = 1}}}), HasSubstr("'pooler'"));
  EXPECT_THAT(message({.param_groups = {{.pattern = "embeddings", .learning_rate = 1}}, .freeze = {"embeddings"}}),
              HasSubstr("no trained parameter"));
}

TEST(ParameterGroups, LayerDecayAndAveragesAreFactsOfARun) {
  const train::RunFacts facts = train::facts_of(
      {.param_groups = groups_in({"bias: lr=1", "pooler: weight_decay=0"}), .layer_decay = 0.5, .ema = 0.9}, {});
  EXPECT_EQ(facts.at("param_group"), "bias: lr=1, pooler: weight_decay=0");
  EXPECT_EQ(facts.at("layer_decay"), "0.5");
  EXPECT_EQ(facts.at("ema"), "0.9");
  for (const char* name : {"param_group", "layer_decay", "ema"}) EXPECT_FALSE(train::facts_of({}, {}).contains(name));
}

// A whole model, on one device and on a mesh that divides weights and slots, with and without adapters.
TEST(ParameterGroups, ResumeBitForBitOnEveryMeshAndWithEveryOptimizer) {
  const Device mesh({.mesh = {.data = 2, .fsdp = 2}, .cache_folder = program_cache()});
  for (const char* optim : {"adamw_torch", "lamb", "adafactor"}) {
    for (const Device* device : {&decompositions(), &mesh}) {
      SCOPED_TRACE(std::string(optim) + " " + to_string(device->mesh()));
      const TrainingOptions options{.learning_rate = 0.01,
                                    .lr_scheduler_type = "constant",
                                    .param_groups = groups_in({"classifier: lr=0.1, weight_decay=0.1"}),
                                    .layer_decay = 0.5,
                                    .ema = 0.5,
                                    .optim = optim};
      const TextClassification task = task_from(kTinyBert);
      const TemporaryFolder folder;
      Trainer whole(*device, task, options);
      whole.step(four_sentences(task));
      whole.save_checkpoint(folder / "saved");
      whole.step(four_sentences(task));
      whole.save_average(folder / "whole");

      const TextClassification saved = task_from(folder / "saved");
      Trainer second(*device, saved, options);
      second.resume(folder / "saved");
      second.step(four_sentences(saved));
      second.save_average(folder / "second");
      const auto bytes = [&](const char* name) {
        std::ifstream file(folder / name / "model.safetensors");
        return std::string(std::istreambuf_iterator<char>(file), {});
      };
      EXPECT_EQ(bytes("second"), bytes("whole"));
      EXPECT_EQ(second.step(four_sentences(saved)).loss(), whole.step(four_sentences(task)).loss());
    }
  }
}

TEST(Averages, AreNotThereBeforeAnUpdate) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  for (const double ema : {0.0, 0.5}) {
    Trainer trainer(decompositions(), task, {.ema = ema});
    trainer.load(four_sentences(task));
    EXPECT_THAT(message_of<UsageError>([&] { trainer.save_average(folder / "ema"); }), HasSubstr("ema above 0"));
  }
}

// The scores of a fit, and the loss of a model folder on the same rows.
TEST(Averages, AreMeasuredBesideTheWeights) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  const data::Dataset rows = data::from_examples({four_sentences(task)});
  const Device mesh({.mesh = {.data = 2}, .cache_folder = program_cache()});
  for (const Device* device : {&decompositions(), &mesh}) {
    SCOPED_TRACE(to_string(device->mesh()));
    Trainer trainer(*device, task, {.learning_rate = 0.01, .lr_scheduler_type = "constant", .ema = 0.9});
    const FitResult result = trainer.fit(rows, {.num_train_epochs = 3, .validation = {{rows}}});
    const auto score = [&](const std::string& name) {
      const auto found = std::ranges::find(result.scores, name, [](const auto& one) { return one.first; });
      return found == result.scores.end() ? -1 : found->second;
    };
    trainer.save(folder / "model");
    trainer.save_average(folder / "average");
    const auto loss_of = [&](const char* model) {
      const TextClassification saved = task_from(folder / model);
      return Trainer(*device, saved, {}).evaluate(rows).front().second;
    };
    EXPECT_EQ(score("loss"), loss_of("model"));
    EXPECT_EQ(score("ema_loss"), loss_of("average"));
    EXPECT_NE(score("loss"), score("ema_loss"));
  }
}

// With adapters the average is an adapter, too.
TEST(Averages, OfAdaptersAreAdapters) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task,
                  {.lr_scheduler_type = "constant",
                   .param_groups = groups_in({"lora_B: lr=0.1"}),
                   .ema = 0.5,
                   .lora = Lora{.target_modules = {"query", "value"}, .modules_to_save = {"classifier"}}});
  trainer.step(four_sentences(task));
  trainer.save_average(folder / "ema");
  EXPECT_TRUE(std::filesystem::exists(folder / "ema" / "adapter_model.safetensors"));
}

}  // namespace
}  // namespace portatune::test
