#include "portatune/train/program/step_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "portatune/train/optim/adamw.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using train::ProgressArray;
using train::StepInput;
using train::StepNumber;

nn::Parameter named(const std::string& name, const Shape& shape) {
  return {.name = name, .value = parameter(name, {DType::kFloat32, shape}), .initializer = {}};
}

const std::vector<nn::Parameter> kParameters{named("w", {4, 2}), named("b", {2})};
const train::Signature kLabelledBatch{{"x", {DType::kFloat32, {3, 4}}}, {"labels", {DType::kFloat32, {3}}}};

train::StepLayout layout_of_adamw() {
  return train::StepLayout(kParameters, train::slots_of(kParameters, *optim::adamw({}), {}), kLabelledBatch);
}

TEST(Slots, AreThoseOfTheFirstNameThenThoseOfTheSecond) {
  std::vector<std::string> names;
  for (const train::SlotArray& slot : train::slots_of(kParameters, *optim::adamw({}), {})) {
    names.push_back(slot.name + "." + kParameters[slot.parameter].name);
  }
  EXPECT_THAT(names, ElementsAre("m.w", "m.b", "v.w", "v.b"));
}

// SharedUpdate divides the matrix along data, and not the vector.
TEST(Slots, AreDividedAsTheUpdate) {
  const std::vector<train::SlotArray> slots = train::slots_of(kParameters, *optim::adamw({}), {.data = 2});
  EXPECT_THAT(slots[0].sharding.over, ElementsAre(MeshAxis::kData));
  EXPECT_THAT(slots[1].sharding.over, ElementsAre());
}

TEST(StepLayout, HasStateThenBatchThenInputs) {
  const train::StepLayout layout = layout_of_adamw();
  EXPECT_EQ(layout.weight(1), 1);
  EXPECT_EQ(layout.slot(0), 2);
  EXPECT_EQ(layout.slot(3), 5);
  EXPECT_EQ(layout.progress(ProgressArray::kCounters), 6);
  EXPECT_EQ(layout.progress(ProgressArray::kLossScale), 7);
  EXPECT_EQ(layout.batch("x"), 8);
  EXPECT_EQ(layout.batch("labels"), 9);
  EXPECT_EQ(layout.input(StepInput::kRates), 10);
  EXPECT_EQ(layout.input(StepInput::kRandomKey), 11);
  EXPECT_EQ(layout.arguments(), 12);
}

TEST(StepLayout, RulesOfDropoutsAreTheLastArguments) {
  const train::StepLayout layout(kParameters, train::slots_of(kParameters, *optim::adamw({}), {}), kLabelledBatch, 3);
  EXPECT_EQ(layout.dropout(0), 12);
  EXPECT_EQ(layout.dropout(2), 14);
  EXPECT_EQ(layout.arguments(), 15);
  EXPECT_EQ(layout.results(), 12);
}

TEST(StepLayout, WithoutDrawsEndsWithTheRates) {
  const train::StepLayout layout(kParameters, train::slots_of(kParameters, *optim::adamw({}), {}), kLabelledBatch, {});
  EXPECT_FALSE(layout.draws());
  EXPECT_EQ(layout.input(StepInput::kRates), 10);
  EXPECT_EQ(layout.arguments(), 11);
}

TEST(StepLayout, ResultsReplaceTheStateAndEndWithNumbers) {
  const train::StepLayout layout = layout_of_adamw();
  EXPECT_EQ(layout.replaced().size(), 8);
  EXPECT_THAT(layout.replaced().back(), Pair(layout.progress(ProgressArray::kLossScale), 7));
  EXPECT_EQ(layout.result_for(layout.slot(3)), 5);
  EXPECT_EQ(layout.result(StepNumber::kLoss), 8);
  EXPECT_EQ(layout.result(StepNumber::kLossScale), 11);
  EXPECT_EQ(layout.results(), 12);
}

TEST(StepLayout, AFrozenWeightHasNoSlotAndNoResult) {
  std::vector<nn::Parameter> parameters = kParameters;
  parameters[0].trainable = false;
  const train::StepLayout layout(parameters, train::slots_of(parameters, *optim::adamw({}), {}), kLabelledBatch);
  ASSERT_EQ(layout.slots().size(), 2);
  EXPECT_EQ(layout.slots()[0].parameter, 1);
  EXPECT_THROW(layout.result_for(layout.weight(0)), std::out_of_range);
  EXPECT_EQ(layout.result_for(layout.weight(1)), 0);
  EXPECT_EQ(layout.result(StepNumber::kLoss), 5);
}

TEST(StepLayout, RefusesWhatAStepDoesNotHave) {
  const train::StepLayout layout = layout_of_adamw();
  EXPECT_THROW(layout.batch("token_type_ids"), std::out_of_range);
  EXPECT_THROW(layout.result_for(layout.batch("x")), std::out_of_range);
}

}  // namespace
}  // namespace portatune::test
