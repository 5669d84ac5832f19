// Updates of a parameter that the devices of a mesh divide, against those on one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "graph/evaluate.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train/optim/adafactor.h"
#include "portatune/train/optim/adam.h"
#include "portatune/train/optim/lamb.h"
#include "portatune/train/optim/lion.h"
#include "portatune/train/optim/rmsprop.h"
#include "tasks/sentences.h"
#include "train/one_step.h"

namespace portatune::test {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

const TensorType kType{DType::kFloat32, {8, 4, 12}};

// The weight and the slots after two updates with one gradient, of twice the size in the second.
std::vector<Tensor> updated(const Device& device, const optim::Optimizer& optimizer, const Sharding& sharding) {
  Function f{.mesh = device.mesh()};
  std::vector<DeviceArray> arrays;
  const auto array = [&](const Tensor& whole, const Sharding& s) {
    f.parameters.push_back(parameter("x", part_of(whole.type(), s, device.mesh())));
    arrays.push_back(device.put(whole.view(), s));
    return f.parameters.back();
  };
  optim::Update state{.weight = array(random(kType, 1), sharding), .slots = {}};
  f.result_shardings = {sharding};
  for (const optim::Slot& slot : optimizer.slots(kType.shape.rank())) {
    f.result_shardings.push_back(slot.sharding(sharding));
    state.slots.push_back(array(Tensor({kType.dtype, slot.shape(kType.shape)}), f.result_shardings.back()));
  }
  const Value gradient = array(random(kType, 2), sharding);
  const auto scalar = [](double value) { return full({DType::kFloat32, {}}, value); };
  for (const double update : {1.0, 2.0}) {
    state = optimizer.rule(
        {.learning_rate = scalar(0.1), .updates = scalar(update), .factor = scalar(update), .makes_update = scalar(1)})(
        state, gradient, {sharding, device.mesh()});
  }
  f.results = {state.weight};
  f.results.insert(f.results.end(), state.slots.begin(), state.slots.end());

  std::vector<DeviceArray*> arguments;
  for (DeviceArray& one : arrays) arguments.push_back(&one);
  std::vector<Tensor> after;
  for (const DeviceArray& result : device.compile(f).run(arguments)) after.push_back(result.to_host());
  return after;
}

TEST(OptimizerOnAMesh, UpdatesAParameterAsOneDevice) {
  std::vector<std::unique_ptr<const optim::Optimizer>> optimizers;
  optimizers.push_back(optim::adafactor(0.1));
  optimizers.push_back(optim::adam({.weight_decay = 0.1}));
  optimizers.push_back(optim::lamb({.weight_decay = 0.1}));
  optimizers.push_back(optim::lion({.weight_decay = 0.1}));
  optimizers.push_back(optim::rmsprop({.momentum = 0.9, .centered = true, .weight_decay = 0.1}));
  const Device mesh({.mesh = {.data = 2, .tensor = 2}, .cache_folder = program_cache()});
  for (const auto& optimizer : optimizers) {
    const std::vector<Tensor> wanted = updated(decompositions(), *optimizer, {});
    for (const MeshAxes& over : {MeshAxes{}, {MeshAxis::kTensor}, {MeshAxis::kTensor, MeshAxis::kData}}) {
      for (int64_t axis = 0; axis < kType.shape.rank(); ++axis) {
        SCOPED_TRACE(testing::Message() << over.size() << " mesh axes over axis " << axis);
        const std::vector<Tensor> found = updated(mesh, *optimizer, {.axis = axis, .over = over});
        ASSERT_EQ(found.size(), wanted.size());
        for (size_t i = 0; i < wanted.size(); ++i) {
          EXPECT_THAT(found[i].as<float>(), Pointwise(FloatNear(1e-5f), wanted[i].as<float>())) << "array " << i;
        }
      }
    }
  }
}

// Keys have no gradient but rounding in their biases, of which these optimizers would take the sign.
TEST(OptimizerOnAMesh, GivesTheStepOfOneDevice) {
  const TextClassification task(kTinyBert, {.max_length = 12, .labels = {"bad", "good"}});
  const data::Dataset rows = data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad"),
                                                  sentence("it was a good story", "good"), sentence("a play", "bad")});
  const data::Example batch = *task.batches(rows, 4).iterate().next();
  for (const std::string name : {"Adafactor", "LAMB", "Lion"}) {
    const auto optimizer = [&]() -> std::unique_ptr<const optim::Optimizer> {
      if (name == "LAMB") return optim::lamb({.eps = 1e-3, .weight_decay = 0.1});
      return name == "Lion" ? optim::lion({.weight_decay = 0.1}) : optim::adafactor(0.1);
    };
    const auto step_on = [&](const Mesh& mesh) {
      return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task, batch,
                  {.optimizer = optimizer(), .max_grad_value = 0.01, .dropout = false, .frozen = {"key"}});
    };
    const auto wanted = step_on({});
    for (const Mesh& mesh :
         {Mesh{.data = 2, .fsdp = 2}, Mesh{.data = 2, .tensor = 2}, Mesh{.data = 2, .fsdp = 2, .tensor = 2}}) {
      SCOPED_TRACE(to_string(mesh) + " " + name);
      const auto found = step_on(mesh);
      ASSERT_EQ(found.size(), wanted.size());
      // Adafactor enlarges the rounding of small gradients, so that this is a thousandth of its step of 0.01.
      for (size_t i = 0; i < wanted.size(); ++i) EXPECT_THAT(found[i], Pointwise(FloatNear(1e-5f), wanted[i]));
    }
  }
}

}  // namespace
}  // namespace portatune::test
