// Tasks whose forward pass, metrics and predictions are functions of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/python/shared_object.h"
#include "portatune/tasks/image_task.h"

namespace portatune::python {

/// Columns of texts that become one text of tokens.
struct TextInput {
  std::string name;
  std::vector<std::string> columns;
  /// Whether each column is enclosed by the tokenizer's tokens for the begin and the end of a text. Otherwise the
  /// tokenizer's template joins one or two columns.
  bool separate = false;
  std::string kind = {};  ///< a text before the columns, if they are separate; empty: none
};
/// A column of images, which becomes float32 [batch, 3, height, width].
struct ImageInput {
  std::string name;
  std::string column;
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
/// The inputs of a task, which are texts or one image, beside labels.
struct TaskInputs {
  std::vector<TextInput> texts;
  std::vector<ImageInput> images;
  std::vector<NumbersInput> numbers;
  std::vector<ClassesInput> classes;
};

/// A task as Python defines it.
struct Definition {
  std::string name, architecture;  ///< see add_task()
  TaskInputs inputs;
  SharedObject object;
};

std::unique_ptr<RowTask> python_text_task(const ModelSource& model, int64_t max_length, Definition definition);
std::unique_ptr<RowTask> python_image_task(const ModelSource& model, const ImageInputOptions& options,
                                           Definition definition);

/// Adds a task to the program, or replaces the one of this name that Python has added. A run keeps the one that it has
/// begun with.
/// name          value of the option --task
/// architecture  name of its models in config.json, by which evaluate() and predict() find the task
/// object        has forward(model, columns), which returns (losses, outputs); compute_metrics(batches), which returns
///               a dict of scores; prediction_lines(outputs, weights), which returns lines of JSON; settings(), which
///               returns a dict of texts
/// errors        UsageError for the name of a task of the library, or of one with the other kind of model
void add_task(const std::string& name, const std::string& architecture, const TaskInputs& inputs,
              nanobind::object object);

}  // namespace portatune::python
