// The forward pass of a task with the weights of its model folder, on the CPU.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graph/evaluate.h"
#include "portatune/tasks.h"
#include "tasks/case_with_tokenizer.h"

namespace portatune::test {

/// The sums of a forward pass over a batch, and its outputs.
struct Computed {
  double loss_sum = 0, weight_sum = 0;
  data::Example outputs;
};

inline Computed compute(const RowTask& task, const data::Example& batch) {
  Columns columns;
  Values parameters;
  std::vector<Tensor> values;
  for (const auto& [name, column] : batch.columns()) {
    const Tensor* value = std::get_if<Tensor>(&column);
    if (value == nullptr) continue;
    values.push_back(*value);
    parameters.push_back(parameter(name, value->type()));
    columns.emplace(name, parameters.back());
  }
  nn::Context context({});
  const Forward forward = task.forward(nn::Scope(context), columns);
  const std::vector<nn::Parameter> weights(context.parameters().begin(), context.parameters().end());
  for (const nn::Parameter& weight : weights) parameters.push_back(weight.input);
  for (Tensor& value : task.initial_weights(weights, 1).values) values.push_back(std::move(value));
  Values results{forward.loss_sum, forward.weight_sum};
  for (const auto& [name, output] : forward.outputs) results.push_back(output);
  const std::vector<Tensor> found = evaluate(results, parameters, values);
  Computed computed{.loss_sum = found[0].as<float>()[0], .weight_sum = found[1].as<float>()[0], .outputs = {}};
  for (size_t i = 0; i < forward.outputs.size(); ++i) computed.outputs.set(forward.outputs[i].first, found[2 + i]);
  return computed;
}

/// The lines of predictions for texts, in batches of two examples.
inline std::vector<nlohmann::json> predictions(const RowTask& task, const std::vector<std::string>& texts) {
  std::vector<data::Example> rows;
  for (const std::string& text : texts) rows.push_back(data::Example().set("text", text));
  const auto lines = task.prediction_lines();
  std::string all;
  for (const data::Example& batch : task.batches(data::from_examples(rows), 2, RowTask::Labels::kIgnored).iterate()) {
    all += lines->take(batch, compute(task, batch).outputs);
  }
  all += lines->finish();
  std::vector<nlohmann::json> found;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = all.find('\n', begin);
    found.push_back(nlohmann::json::parse(all.substr(begin, end - begin)));
    begin = end + 1;
  }
  return found;
}

/// The cases of tests/oracle/tasks/make_prediction_cases.py for a task.
inline nlohmann::json prediction_cases(const std::string& task) {
  return nlohmann::json::parse(text_of(PORTATUNE_TEST_DATA "/tasks/predictions.json")).at(task);
}

}  // namespace portatune::test
