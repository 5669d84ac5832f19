#include "portune/models/bert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/evaluate.h"
#include "models/reference_case.h"
#include "pjrt/aot.h"
#include "portune/tasks/initial_weights.h"
#include "portune/train/programs.h"

namespace portune::test {
namespace {

train::Signature signature_of(const ReferenceCase& task) {
  train::Signature signature;
  for (const std::string& name : task.inputs()) signature.emplace_back(name, task.batch().tensor(name).type());
  return signature;
}

std::vector<Tensor> weights_and_batch(const ReferenceCase& task, const std::vector<nn::Parameter>& parameters) {
  InitialWeights initial = task.initial_weights(parameters, 0);
  EXPECT_TRUE(initial.report.missing.empty());
  EXPECT_TRUE(initial.report.unexpected.empty());
  for (const std::string& name : task.inputs()) initial.values.push_back(task.batch().tensor(name));
  return std::move(initial.values);
}

size_t count_strays(const Tensor& found, const Tensor& wanted, double allowed) {
  size_t strays = 0;
  for (size_t i = 0; i < found.as<float>().size(); ++i) {
    strays += !(std::abs(found.as<float>()[i] - wanted.as<float>()[i]) <= allowed);
  }
  return strays;
}

void expect_close(const Tensor& found, const Tensor& wanted, double allowed, const std::string& what) {
  ASSERT_EQ(found.type(), wanted.type()) << what;
  EXPECT_EQ(count_strays(found, wanted, allowed), 0u) << what << ": elements further off than " << allowed;
}

}  // namespace

struct Run {
  const char* name;
  bool kernels;
};

class BertReference : public ::testing::TestWithParam<Run> {
 protected:
  const ReferenceCase task_{GetParam().name};
  const Device& device_ = GetParam().kernels ? kernels() : decompositions();
};

TEST_P(BertReference, LogitsLossAndGradientsEqualTransformers) {
  const train::EvaluationProgram program = train::evaluation_program(task_, signature_of(task_), DType::kFloat32);
  const Function& f = program.function;
  Values weights;
  for (const nn::Parameter& parameter : program.parameters) weights.push_back(parameter.value);
  Values results{f.results[2], f.results[0] / f.results[1]};
  for (const Value& gradient : gradients(results[1], weights)) results.push_back(gradient);
  const std::vector<Tensor> found =
      evaluate(results, f.parameters, weights_and_batch(task_, program.parameters), device_);

  const io::JsonObject differences = *task_.facts().get_object("eval_fp32_max_abs_diff");
  for (const auto& [index, name] : {std::pair<size_t, const char*>{0, "logits"}, {1, "loss"}}) {
    const Tensor wanted = task_.recorded("expected", name);
    expect_close(found[index], wanted, task_.tolerance(wanted, differences.get_float(name)), name);
  }
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const std::string& name = program.parameters[i].name;
    const double difference = task_.facts().get_object("params")->get_object(name)->get_float("grad_fp32_diff");
    const Tensor wanted = task_.recorded("grads", name);
    expect_close(found[2 + i], wanted, task_.tolerance(wanted, difference), "gradient of " + name);
  }
}

TEST_P(BertReference, FiveStepsOfAdamWGiveTheWeightsOfTorch) {
  const io::JsonObject optimizer = *task_.facts().get_object("optimizer");
  const double lr = optimizer.get_float("lr");
  const train::StepProgram plan = train::step_program(task_, signature_of(task_),
                                                      {.adam = {.eps = optimizer.get_float("eps"),
                                                                .weight_decay = optimizer.get_float("weight_decay")},
                                                       .max_grad_norm = 0,
                                                       .decay_vectors = true});
  const Program program = device_.compile(plan.function);
  const size_t n = plan.parameters.size();
  const std::vector<Tensor> start = weights_and_batch(task_, plan.parameters);

  std::vector<DeviceArray> state;
  for (size_t i = 0; i < n; ++i) state.push_back(device_.put(start[i].view()));
  for (size_t i = 0; i < 2 * n; ++i) state.push_back(device_.put(Tensor(start[i % n].type())));
  std::vector<double> losses;
  const int64_t steps = optimizer.get_int("steps");
  for (int64_t t = 1; t <= steps; ++t) {
    std::vector<DeviceArray> inputs;
    for (size_t i = n; i < start.size(); ++i) inputs.push_back(device_.put(start[i].view()));
    const auto correction = [&](double beta) { return static_cast<float>(1 / (1 - std::pow(beta, t))); };
    inputs.push_back(device_.put(Tensor({3}, {static_cast<float>(lr), correction(0.9), correction(0.999)})));
    inputs.push_back(device_.put(Tensor({DType::kUInt32, {2}})));
    std::vector<DeviceArray*> arguments;
    for (DeviceArray& array : state) arguments.push_back(&array);
    for (DeviceArray& array : inputs) arguments.push_back(&array);
    std::vector<DeviceArray> results = program.run(arguments);
    losses.push_back(results[3 * n].to_host().as<float>()[0]);
    for (size_t i = 0; i < 3 * n; ++i) state[i] = std::move(results[i]);
  }

  const std::vector<double> wanted_losses = task_.facts().get_floats("losses");
  for (size_t t = 0; t < losses.size(); ++t) EXPECT_NEAR(losses[t], wanted_losses[t], 2e-5) << "loss of step " << t;
  const std::vector<std::string> noise = task_.facts().get_strings("noise_dominated");
  for (size_t i = 0; i < n; ++i) {
    const std::string& name = plan.parameters[i].name;
    const Tensor found = state[i].to_host(), wanted = task_.recorded("after5", name);
    // Where the true gradient is zero Adam amplifies rounding up to lr per step.
    expect_close(found, wanted, 5 * lr, name);
    if (std::ranges::find(noise, name) != noise.end()) continue;
    const double difference = task_.facts().get_object("params")->get_object(name)->get_float("after5_fp32_diff");
    EXPECT_LE(count_strays(found, wanted, task_.tolerance(wanted, difference)),
              std::max<size_t>(2, found.as<float>().size() / 200))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BertReference,
                         ::testing::Values(Run{"bert_sigmoid", false}, Run{"bert_sigmoid", true},
                                           Run{"bert_softmax", false}, Run{"bert_softmax", true},
                                           Run{"bert_regression", false}, Run{"bert_regression", true}),
                         [](const auto& info) {
                           return std::string(info.param.name) + (info.param.kernels ? "_kernels" : "_decompositions");
                         });

TEST(BertModel, ReadsLegacyNamesAndTheTanhForm) {
  const std::filesystem::path path = std::filesystem::path(PORTUNE_TEST_DATA) / "bert_legacy_names";
  const hub::ModelFolder folder = hub::ModelFolder::open(path);
  const models::BertConfig config = models::bert_config(folder.config());
  const io::SafetensorsFile inputs = io::SafetensorsFile::open(path / "inputs.safetensors");
  std::vector<Value> columns;
  std::vector<Tensor> arrays;
  for (const char* name : {"input_ids", "attention_mask", "token_type_ids"}) {
    const TensorView view = *inputs.find(name);
    columns.push_back(parameter(name, view.type));
    arrays.emplace_back(view.type);
    std::copy_n(view.data, view.type.bytes(), arrays.back().data());
  }
  nn::Context context({});
  const nn::Scope bert = nn::Scope(context) / "bert";
  const Value x = models::bert(bert, config, {columns[0], columns[1], columns[2]});
  const Value pooled = models::bert_pooler(bert / "pooler", config, x);

  const std::vector<nn::Parameter> parameters(context.parameters().begin(), context.parameters().end());
  InitialWeights initial = tasks::load_weights(folder, parameters, "bert", 0);
  EXPECT_TRUE(initial.report.missing.empty());
  EXPECT_TRUE(initial.report.unexpected.empty());
  Values arguments;
  for (const nn::Parameter& parameter : parameters) arguments.push_back(parameter.value);
  arguments.insert(arguments.end(), columns.begin(), columns.end());
  for (Tensor& array : arrays) initial.values.push_back(std::move(array));
  const Tensor found = evaluate({pooled}, arguments, initial.values).front();
  const io::SafetensorsFile expected = io::SafetensorsFile::open(path / "expected.safetensors");
  const auto wanted = expected.find("pooler_output")->as<float>();
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found.as<float>()[i], wanted[i], 2e-5);
}

// ---- without the devices

class BertAot : public ::testing::TestWithParam<pjrt::AotTarget> {};

TEST_P(BertAot, TrainingStepAndEvaluationCompile) {
  PORTUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const ReferenceCase task("bert_sigmoid");
  const pjrt::Topology topology = pjrt::aot_topology(GetParam());
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const train::StepProgram step = train::step_program(task, signature_of(task), {.compute_dtype = dtype});
    const pjrt::Executable compiled = topology.compile(to_stablehlo(step.function, {}));
    // Weights and moments are updated in place.
    int64_t state = 0;
    for (const nn::Parameter& parameter : step.parameters) state += 3 * parameter.value.type().bytes();
    EXPECT_GE(compiled.memory_stats().aliased, state);
    const train::EvaluationProgram evaluation = train::evaluation_program(task, signature_of(task), dtype);
    topology.compile(to_stablehlo(evaluation.function, {}));
  }
}

INSTANTIATE_TEST_SUITE_P(Aot, BertAot, ::testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);

}  // namespace portune::test
