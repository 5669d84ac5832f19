#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/python/tasks/python_task.h"
#include "portatune/tasks/registry.h"
#include "portatune/tasks/task_spec.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

struct TextOptions {
  int64_t max_length = 128;

  void describe(OptionFields& fields) { describe_max_length(fields, max_length); }
};

// The tasks that Python has added, which stay until the end of the program.
class AddedTasks {
 public:
  void add(Definition definition) {
    const std::lock_guard lock(mutex_);
    const std::string name = definition.name;
    const auto earlier = definitions_.find(name);
    const bool is_new = earlier == definitions_.end();
    const std::vector<std::string> known = tasks::task_names();
    if (is_new && std::ranges::find(known, name) != known.end()) {
      throw UsageError({.where = "the name of a task",
                        .given = in_quotes(name),
                        .expected = "a name that no task of the library has"});
    }
    if (!is_new && earlier->second.inputs.images.empty() != definition.inputs.images.empty()) {
      throw UsageError({.where = "the name of a task",
                        .given = in_quotes(name) + ", once for texts and once for images",
                        .expected = "another name for each of the two"});
    }
    if (is_new) tasks_.push_back(std::make_unique<AddedTask>(spec_of(definition)));
    definitions_.insert_or_assign(name, std::move(definition));
  }

 private:
  Definition definition_of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return definitions_.at(name);
  }

  TaskSpec spec_of(const Definition& definition) {
    const std::string name = definition.name;
    if (!definition.inputs.images.empty()) {
      return task_spec<ImageInputOptions>(
          {.name = name,
           .classes = {definition.architecture},
           .make = [this, name](const TaskContext& context, const ImageInputOptions& options) {
             return python_image_task(context.model, options, definition_of(name));
           }});
    }
    return task_spec<TextOptions>({.name = name,
                                   .classes = {definition.architecture},
                                   .run_options = {RunOption::kPadding},
                                   .make = [this, name](const TaskContext& context, const TextOptions& options) {
                                     return python_text_task(context.model, options.max_length, definition_of(name));
                                   }});
  }

  std::mutex mutex_;
  std::map<std::string, Definition> definitions_;
  std::vector<std::unique_ptr<AddedTask>> tasks_;
};

}  // namespace

void add_task(const std::string& name, const std::string& architecture, const TaskInputs& inputs, nb::object object) {
  static AddedTasks& added = *std::make_unique<AddedTasks>().release();  // objects of Python outlive the interpreter
  added.add({.name = name, .architecture = architecture, .inputs = inputs, .object = shared(std::move(object))});
}

}  // namespace portatune::python
