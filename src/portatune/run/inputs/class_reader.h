// The classes of rows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

/// The classes of a task in the order of their ids, and those that a row has. Both are empty for other tasks.
struct ClassReader {
  using Labels = std::vector<std::string>;
  Labels classes;
  /// errors  DataError that names the row for a label outside the classes
  std::function<Labels(const data::Example&)> in_row = [](const data::Example&) { return Labels(); };
};

/// A reader of one class per row.
ClassReader one_class_reader(const std::vector<std::string>& classes, const std::string& column);

/// A reader for a head of text classification, with the columns of the options.
ClassReader class_reader(const TextClassificationOptions& options, Head head, const std::vector<std::string>& classes);

/// A reader for a task.
ClassReader class_reader(const ModelOptions& model, const RowTask& task);

}  // namespace portatune::run
