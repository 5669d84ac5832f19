// A training step from the initial weights, on one device or several.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "portatune/device.h"
#include "portatune/ops.h"
#include "portatune/train/program/batch_shapes.h"
#include "portatune/train/program/programs.h"
#include "portatune/train/program/progress.h"

namespace portatune::test {

// All floats in the results of a step from the initial weights: weights and optimizer state, then loss scale, loss, sum
// of weights, norm, and the scale again.
inline std::vector<std::vector<float>> step(const Device& device, const Task& task, const data::Example& batch,
                                            train::StepOptions options, uint32_t key = 1) {
  options.mesh = device.mesh();
  const train::Signature signature = train::signature_of(task, batch);
  const train::StepProgram program = train::step_program(task, signature, options);
  const InitialWeights initial = task.initial_weights(program.parameters, 1);
  const train::StepLayout& layout = program.layout;
  std::map<size_t, DeviceArray> arrays;  // by the index of the argument
  for (size_t i = 0; i < layout.weights(); ++i) {
    arrays.emplace(layout.weight(i), device.put(initial.values[i].view(), program.parameters[i].sharding));
  }
  for (size_t i = 0; i < layout.slots().size(); ++i) {
    arrays.emplace(layout.slot(i), device.put(Tensor(layout.slots()[i].type), layout.slots()[i].sharding));
  }
  std::vector<DeviceArray> progress = train::put(device, train::first_progress(options.compute_dtype));
  for (const train::ProgressArray array : {train::ProgressArray::kCounters, train::ProgressArray::kLossScale}) {
    arrays.emplace(layout.progress(array), std::move(progress[static_cast<size_t>(array)]));
  }
  for (const auto& [name, type] : signature) {
    arrays.emplace(layout.batch(name), device.put(batch.tensor(name).view(), train::kBatchSharding));
  }
  arrays.emplace(layout.input(train::StepInput::kRates), device.put(Tensor({}, {0.01f})));
  arrays.emplace(layout.input(train::StepInput::kRandomKey), device.put(Tensor({2}, {key, 7u})));
  for (size_t i = 0; i < program.dropout_rates.size(); ++i) {
    arrays.emplace(layout.dropout(i), device.put(dropout_rule(program.dropout_rates[i])));
  }
  std::vector<DeviceArray*> arguments;
  for (auto& [index, array] : arrays) arguments.push_back(&array);
  std::vector<std::vector<float>> found;
  for (const DeviceArray& result : device.compile(program.function).run(arguments)) {
    const Tensor values = result.to_host();
    if (is_float(values.dtype())) found.push_back(to_floats(values.view()));
  }
  return found;
}

// A large epsilon: with Adam's own, only the sign of a gradient near 0 would decide about the update.
inline train::StepOptions in_micro_batches(int64_t count) {
  return {.optimizer = optim::adamw({.eps = 1e-3}), .gradient_accumulation_steps = count, .dropout = false};
}

inline void expect_close(const std::vector<float>& found, const std::vector<float>& wanted, size_t index) {
  ASSERT_EQ(found.size(), wanted.size()) << "result " << index;
  float largest = 0, difference = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(wanted[i]));
    difference = std::max(difference, std::abs(found[i] - wanted[i]));
  }
  // Gradients of some biases, such as those of keys, are 0 except for rounding.
  EXPECT_LE(difference, 1e-5f * largest + 1e-9f) << "result " << index;
}

inline void expect_close(const std::vector<std::vector<float>>& found, const std::vector<std::vector<float>>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) expect_close(found[i], wanted[i], i);
}

}  // namespace portatune::test
