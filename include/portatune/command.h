// The command `portatune`, and tasks of one's own in it.
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

/// Values that a task of one's own is given by `--option name=value`.
class TaskOptions {
 public:
  TaskOptions() = default;
  explicit TaskOptions(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  // The value of an option, or what it is without one. UsageError if it is not of this kind.
  std::string text(const std::string& name, std::string fallback) const;
  double number(const std::string& name, double fallback) const;
  bool flag(const std::string& name, bool fallback) const;  ///< "true" or "false"

  /// UsageError if an option was given that nobody has asked for.
  void require_all_read() const;

 private:
  const std::string* find(const std::string& name) const;

  std::map<std::string, std::string> values_;
  mutable std::set<std::string> asked_for_;
};

/// What a task is made from.
struct TaskArguments {
  std::filesystem::path model;     ///< folder: a pretrained model, or one that the task has saved
  std::vector<std::string> files;  ///< of the rows
  data::TableOptions table;        ///< how they are read, but for the columns
  bool training = false;           ///< whether classes and the like are found in the rows; else they are the model's
  int64_t max_length = 0;          ///< tokens of a text
  TaskOptions options;
};

/// Gives the command a task: a constant of a source file that is linked into it.
///     const CommandTask kMine("my-task", "MyModel",
///                             [](const TaskArguments& a) -> std::unique_ptr<RowTask> { ... });
/// Then `portatune fit --task my-task ...`, evaluate, predict, checkpoints and all else work as for the tasks that it
/// brings. In CMake: portatune_command(my_portatune SOURCES my_task.cpp), see docs/library.md.
class CommandTask {
 public:
  using Make = std::unique_ptr<RowTask> (*)(const TaskArguments& arguments);
  /// name          as --task has it; another than those of other tasks
  /// architecture  that the task's models have in config.json, by which evaluate and predict know them
  CommandTask(const char* name, const char* architecture, Make make);
};

}  // namespace portatune
