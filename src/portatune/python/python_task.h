// Tasks whose forward pass, metrics and predictions are functions of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "portatune/nn.h"
#include "portatune/tasks/text_task.h"

namespace portatune::python {

/// Columns of texts that become one text of tokens.
struct TextInput {
  std::string name;
  std::vector<std::string> columns;
  /// Whether each column stands between the tokenizer's tokens for the begin and the end of a text. Otherwise the
  /// tokenizer's template joins one or two columns.
  bool separate = false;
  std::string kind = {};  ///< a text before the columns, if they are separate; empty: none
};
/// Columns of numbers, which become float32 [batch, columns].
struct NumbersInput {
  std::string name;
  std::vector<std::string> columns;
};
/// A column of names of classes, which becomes int32 [batch].
struct ClassesInput {
  std::string name;
  std::string column;
  std::vector<std::string> classes;
};
struct TaskInputs {
  std::vector<TextInput> texts;
  std::vector<NumbersInput> numbers;
  std::vector<ClassesInput> classes;
};

/// An object of Python that threads without the interpreter's lock may copy and release.
using SharedObject = std::shared_ptr<const nanobind::object>;
SharedObject shared(nanobind::object object);

/// What a forward pass in Python gets: the scope of the model's parameters, and its encoder. Valid during that pass.
struct TracedModel : nn::Scope {
  TracedModel(const nn::Scope& root, const TextCheckpoint& checkpoint) : Scope(root), checkpoint(checkpoint) {}

  const TextCheckpoint& checkpoint;
};

/// Adds a task to the program, or replaces the one of this name that Python has added. A run keeps the one that it has
/// begun with.
/// name          value of the option --task
/// architecture  name of its models in config.json, by which evaluate() and predict() find the task
/// object        has forward(model, columns), which returns (losses, outputs); compute_metrics(batches), which returns a
///               dict of scores; prediction_lines(outputs, weights), which returns lines of JSON; settings(), which
///               returns a dict of texts
/// errors        UsageError for the name of a task of the library
void add_task(const std::string& name, const std::string& architecture, const TaskInputs& inputs,
              nanobind::object object);

}  // namespace portatune::python
