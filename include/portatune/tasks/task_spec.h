// Tasks by name: those of the library, and those that other programs add to the command and to run.h. Descriptions of
// the options that several tasks share.
#pragma once

#include <any>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "portatune/data.h"
#include "portatune/hub.h"
#include "portatune/option_fields.h"
#include "portatune/sources.h"
#include "portatune/tasks.h"
#include "portatune/tasks/losses.h"

namespace portatune {

/// The origin of a task's classes.
enum class Classes {
  kOfModel,  ///< config.json: the model is trained
  kOfRows,   ///< the rows: the model will be trained
  kAssumed   ///< config.json, or two classes if it names none: there are no rows, as in `portatune plan`
};

/// What a task is made from, beside its options.
struct TaskContext {
  ModelSource model;                             ///< the model folder, or the checkpoint that is resumed
  std::vector<std::string> files = {};           ///< the files of rows
  data::TableOptions table = {};                 ///< how tables are read; the task chooses the columns
  std::shared_ptr<data::BadRows> bad_rows = {};  ///< the skipped rows; null: bad rows are errors
  Classes classes = Classes::kOfModel;
  std::function<void(const std::string& remark)> notice = [](const std::string&) {};

  /// The same rows without bad ones, if those may be skipped. A stop request ends a pass over them with Stopped.
  data::Dataset readable(const data::Dataset& rows) const;
};

/// The options of tasks: a struct for each task. A struct that was never set has its defaults.
class TaskOptions {
 public:
  template <class Options>
  Options& of() {
    std::any& options = structs_[typeid(Options)];
    if (!options.has_value()) options.emplace<Options>();
    return *std::any_cast<Options>(&options);
  }
  template <class Options>
  const Options& of() const {
    static const Options kDefaults;
    const auto found = structs_.find(typeid(Options));
    return found == structs_.end() ? kDefaults : *std::any_cast<Options>(&found->second);
  }

 private:
  std::map<std::type_index, std::any> structs_;
};

/// Options of runs that only some tasks have.
enum class RunOption { kPadding, kPacking, kWeightColumn };

/// A task with options of the type `Options`, which task_spec() turns into a TaskSpec. Options describes its fields by
/// describe(OptionFields&): the command has them as options, recipes as keys. Two tasks may have an option of one name,
/// if it means the same; the functions below describe such options. A field without a group of the help is shown under
/// the name of the task.
template <class Options>
struct TypedTaskSpec {
  std::string name;  ///< the value of --task
  /// Endings of the names of the task's classes in transformers, or its own name in the "architectures" of config.json.
  /// evaluate and predict find the task of a model by the longest one.
  std::vector<std::string> classes;
  std::set<RunOption> run_options = {};
  /// Names of options that predictions alone need: "return_timestamps". Other commands do not have them.
  std::set<std::string> prediction_options = {};
  std::string pipeline = {};  ///< the Hub's name of the task, for the model card; empty: there is none
  /// Creates the task. It finds the classes by itself, where TaskContext::classes says.
  /// errors  those of the task's constructor
  std::function<std::unique_ptr<RowTask>(const TaskContext& context, const Options& options)> make;
  /// Rows of which a task that `make` has returned makes a batch, for a plan without rows; null: the task needs rows.
  std::function<std::vector<data::Example>(const RowTask& task, const Options& options)> sample_rows = {};
};

/// A task with options of any type. The fields are those of TypedTaskSpec.
struct TaskSpec {
  std::string name;
  std::vector<std::string> classes;
  std::set<RunOption> run_options;
  std::set<std::string> prediction_options;
  std::string pipeline;
  std::function<std::unique_ptr<RowTask>(const TaskContext& context, const TaskOptions& options)> make;
  std::function<std::vector<data::Example>(const RowTask& task, const TaskOptions& options)> sample_rows;
  /// The fields of its options, which refer to the argument.
  std::function<std::vector<OptionField>(TaskOptions& options)> fields;
};

template <class Options>
TaskSpec task_spec(TypedTaskSpec<Options> spec) {
  TaskSpec result{.name = std::move(spec.name),
                  .classes = std::move(spec.classes),
                  .run_options = std::move(spec.run_options),
                  .prediction_options = std::move(spec.prediction_options),
                  .pipeline = std::move(spec.pipeline),
                  .make = {},
                  .sample_rows = {},
                  .fields = [](TaskOptions& options) { return fields_of(options.of<Options>()); }};
  result.make = [make = std::move(spec.make)](const TaskContext& context, const TaskOptions& options) {
    check_ranges(options.of<Options>());
    return make(context, options.of<Options>());
  };
  if (spec.sample_rows) {
    result.sample_rows = [rows = std::move(spec.sample_rows)](const RowTask& task, const TaskOptions& options) {
      return rows(task, options.of<Options>());
    };
  }
  return result;
}

/// Adds a task to the program while the object exists: a constant in a source file that is linked into it.
///     const AddedTask kMine(task_spec<MyOptions>({.name = "my-task", .classes = {"MyModel"}, .make = ...}));
/// `portatune fit --task my-task`, evaluate, predict, checkpoints and everything else then work as for the tasks of the
/// library. In CMake: portatune_command(my_portatune SOURCES my_task.cpp), see docs/development/library.md. Two tasks
/// of one name are a UsageError of the command.
class AddedTask {
 public:
  explicit AddedTask(TaskSpec spec);
  ~AddedTask();
  AddedTask(const AddedTask&) = delete;
  AddedTask& operator=(const AddedTask&) = delete;

 private:
  const TaskSpec spec_;
};

void describe_max_length(OptionFields& fields, int64_t& max_length);
void describe_max_length(OptionFields& fields, std::optional<int64_t>& max_length);
void describe_text_column(OptionFields& fields, std::string& column);
void describe_label_column(OptionFields& fields, std::string& column);

/// The classes of a task, of which every row has one.
void describe_classes(OptionFields& fields, std::vector<std::string>& labels);
/// The names of the metrics to report.
void describe_metrics(OptionFields& fields, std::vector<std::string>& metrics);
void describe_label_smoothing(OptionFields& fields, double& label_smoothing);
/// The loss of classes, without the weights of positive examples.
void describe_loss(OptionFields& fields, LossOptions& loss, ClassWeights& weights);

}  // namespace portatune
