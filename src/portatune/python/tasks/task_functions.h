// The common part of tasks in Python on texts and on images: labels, and calls of Python.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "portatune/python/tasks/python_task.h"

namespace portatune::python {

/// The functions of a task of Python, which any thread may call.
class TaskFunctions {
 public:
  explicit TaskFunctions(Definition definition) : definition_(std::move(definition)) {}

  const TaskInputs& inputs() const { return definition_.inputs; }
  const std::string& architecture() const { return definition_.architecture; }

  /// The columns that labels are read from, each once.
  std::vector<std::string> label_columns() const;
  /// The arrays that they become.
  std::vector<std::string> labels() const;
  /// Sets these arrays. Rows without labels have zeros in their place.
  /// errors  DataError that names the row
  void set_labels(data::Example& example, const data::Example& row, RowTask::Labels labels) const;

  std::map<std::string, std::string> settings() const;
  /// Calls forward() of Python.
  /// inputs  makes the model and the columns of Python, with the interpreter's lock; labels are added to the columns
  /// errors  ShapeError if the losses are not one for each row; those of the call
  Forward forward(const Columns& batch, const std::function<nanobind::object(nanobind::dict&)>& inputs) const;
  std::unique_ptr<Metrics> metrics() const;
  std::unique_ptr<PredictionLines> prediction_lines() const;

 private:
  const Definition definition_;
};

}  // namespace portatune::python
