// The command `portatune`, and custom tasks for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "portatune/sources.h"
#include "portatune/tasks.h"

namespace portatune {

/// Values of a custom task's options, given as `--option name=value`.
class TaskOptions {
 public:
  TaskOptions() = default;
  explicit TaskOptions(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  // The value of an option, or `fallback` if it is not given. UsageError if it has another type.
  std::string text(const std::string& name, std::string fallback) const;
  double number(const std::string& name, double fallback) const;
  bool flag(const std::string& name, bool fallback) const;  ///< "true" or "false"

  /// Throws a UsageError if an option was given that no call has read.
  void require_all_read() const;

 private:
  const std::string* find(const std::string& name) const;

  std::map<std::string, std::string> values_;
  mutable std::set<std::string> asked_for_;
};

/// Arguments of a task's factory function.
struct TaskArguments {
  std::filesystem::path model;     ///< folder: a pretrained model, or one that the task has saved
  std::vector<std::string> files;  ///< files of the rows
  data::TableOptions table;        ///< how tables are read; `columns` is ignored
  bool training = false;           ///< whether the rows define the classes; otherwise the model does
  int64_t max_length = 0;          ///< tokens of a text
  TaskOptions options;
};

/// Registers a task with the command: a constant in a source file that is linked into it.
///     const CommandTask kMine("my-task", "MyModel",
///                             [](const TaskArguments& a) -> std::unique_ptr<RowTask> { ... });
/// Then `portatune fit --task my-task ...`, evaluate, predict, checkpoints and everything else work as for the built-in
/// tasks. In CMake: portatune_command(my_portatune SOURCES my_task.cpp), see docs/library.md.
class CommandTask {
 public:
  using Make = std::unique_ptr<RowTask> (*)(const TaskArguments& arguments);
  /// name          the value of --task; differs from those of other tasks
  /// architecture  the architecture of the task's models in config.json; evaluate and predict find the task by it
  CommandTask(const char* name, const char* architecture, Make make);
};

}  // namespace portatune
