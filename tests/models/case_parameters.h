// The parameters of a case's model, which are the tensors that a saved model has.
#pragma once

#include <vector>

#include "portatune/analysis/parity/reference_task.h"
#include "portatune/ops.h"

namespace portatune::test {

inline std::vector<nn::Parameter> parameters_of(const parity::ReferenceTask& task, const data::Example& inputs) {
  Columns columns;
  for (const data::Example::Entry& column : inputs.columns()) {
    columns.emplace(column.name, constant(inputs.tensor(column.name)));
  }
  nn::Context context({.initializer_range = task.initializer_range()});
  task.forward(nn::Scope(context), columns);
  return {context.parameters().begin(), context.parameters().end()};
}

}  // namespace portatune::test
