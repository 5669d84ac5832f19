#include "portatune/run/inputs/rows/example_weights.h"

#include <cmath>
#include <limits>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/sources.h"

namespace portatune::run {
namespace {

bool is_in_files(const std::string& column, const RunOptions& a) {
  // The later pass over the rows reports rows that cannot be read.
  const auto unreadable = std::make_shared<data::BadRows>(std::numeric_limits<int64_t>::max());
  try {
    const auto first = data::read_table(a.train, table_options(a.model, {})).skip_bad_rows(unreadable).iterate().next();
    return first && first->has(column);
  } catch (const Error&) {
    return false;  // The files are no tables.
  }
}

float weight_in(const data::Example& row, const std::string& column) {
  const auto* array = std::get_if<Tensor>(&row.column(column));
  const bool is_scalar = array != nullptr && array->shape().elements() == 1;
  const std::string text = is_scalar ? to_text(to_floats(array->view())[0]) : array == nullptr ? row.text(column) : "";
  const auto weight = number_in<float>(text);
  if (weight && std::isfinite(*weight) && *weight >= 0) return *weight;
  throw DataError({.where = to_string(row.origin()),
                   .given = (array != nullptr && !is_scalar ? to_string(array->type()) : in_quotes(text)) +
                            " in column \"" + column + "\"",
                   .expected = "the weight of the row: a finite number of at least 0"});
}

}  // namespace

std::string weight_column_of(const RunOptions& a) {
  if (a.weight_column) return *a.weight_column;
  const std::string usual(data::kExampleWeight);
  return spec_of(a.model, a.model.folder).run_options.contains(RunOption::kWeightColumn) && is_in_files(usual, a)
             ? usual
             : "";
}

data::Dataset training_rows(const RunPlan& plan, const RowTask& task) {
  constexpr auto kLabels = RowTask::Labels::kRequired;
  const std::string& column = plan.weights;
  if (column.empty()) return read_rows(plan.model, plan.train, task, kLabels);
  ModelOptions model = plan.model;
  model.table.extra_columns = {column};
  return read_rows(model, plan.train, task, kLabels).map([column](data::Example row) {
    const float weight = weight_in(row, column);
    return row.set(data::kExampleWeight, Tensor({}, {weight}));
  });
}

data::Dataset without_weights(const data::Dataset& rows) {
  return rows.map([](data::Example row) { return row.erase(data::kExampleWeight); });
}

}  // namespace portatune::run
