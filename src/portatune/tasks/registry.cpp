#include "portatune/tasks/registry.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/audio_classification.h"
#include "portatune/tasks/colorization.h"
#include "portatune/tasks/feature_extraction.h"
#include "portatune/tasks/fill_mask.h"
#include "portatune/tasks/image_classification.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/multiple_choice.h"
#include "portatune/tasks/next_sentence_prediction.h"
#include "portatune/tasks/question_answering.h"
#include "portatune/tasks/replaced_token_detection.h"
#include "portatune/tasks/speech_ctc.h"
#include "portatune/tasks/speech_pretraining.h"
#include "portatune/tasks/speech_seq2seq.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/tasks/text_to_text.h"
#include "portatune/tasks/token_classification.h"
#include "portatune/tasks/zero_shot_classification.h"

namespace portatune {
namespace {

// The list exists from the first added task on: tasks are added before main(), in no certain order. A program may add
// others while its threads train.
struct AddedTasks {
  std::mutex mutex;
  std::vector<const TaskSpec*> tasks;  // guarded by the mutex
};
AddedTasks& added_tasks() {
  static AddedTasks added;
  return added;
}

// The tasks that learn nothing.
std::array<const TaskSpec*, 3> predicting_tasks() {
  return {&feature_extraction_spec(), &fill_mask_spec(), &zero_shot_classification_spec()};
}

const std::map<std::string, RunOption> kRunOptions = {{"padding", RunOption::kPadding},
                                                      {"packing", RunOption::kPacking},
                                                      {"tokens_per_batch", RunOption::kPacking},
                                                      {"weight_column", RunOption::kWeightColumn}};

// "Question answering" for "question-answering".
std::string heading_of(std::string name) {
  std::ranges::replace(name, '-', ' ');
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') name.front() += 'A' - 'a';
  return name;
}

// Lets a field set that of another task, too.
void share(OptionField& field, const OptionField& other) {
  if (field.kind != other.kind || field.choice_words() != other.choice_words()) {
    throw UsageError({.where = "tasks of this program",
                      .given = "an option " + in_quotes(field.name) + " of two types",
                      .expected = "one meaning of an option, or another name"});
  }
  field.set = [first = field.set, second = other.set](const std::vector<std::string>& texts) {
    first(texts);
    second(texts);
  };
}

}  // namespace

AddedTask::AddedTask(TaskSpec spec) : spec_(std::move(spec)) {
  const std::lock_guard lock(added_tasks().mutex);
  added_tasks().tasks.push_back(&spec_);
}
AddedTask::~AddedTask() {
  const std::lock_guard lock(added_tasks().mutex);
  std::erase(added_tasks().tasks, &spec_);
}

namespace tasks {

std::vector<const TaskSpec*> registry() {
  std::unique_lock lock(added_tasks().mutex);
  std::vector<const TaskSpec*> added = added_tasks().tasks;
  lock.unlock();
  const auto predicting = predicting_tasks();
  std::ranges::sort(added, {}, &TaskSpec::name);
  std::vector<const TaskSpec*> all = {&text_classification_spec(),
                                      &next_sentence_prediction_spec(),
                                      &token_classification_spec(),
                                      &replaced_token_detection_spec(),
                                      &question_answering_spec(),
                                      &multiple_choice_spec(),
                                      &masked_lm_spec(),
                                      &causal_lm_spec(),
                                      &summarization_spec(),
                                      &translation_spec(),
                                      &text_to_text_spec(),
                                      &image_classification_spec(),
                                      &colorization_spec(),
                                      &audio_classification_spec(),
                                      &speech_ctc_spec(),
                                      &speech_seq2seq_spec(),
                                      &speech_pretraining_spec()};
  all.insert(all.end(), predicting.begin(), predicting.end());
  for (const TaskSpec* task : added) {
    if (std::ranges::find(all, task->name, &TaskSpec::name) != all.end()) {
      throw UsageError({.where = "tasks of this program",
                        .given = "two tasks called " + in_quotes(task->name),
                        .expected = "another name for each task"});
    }
    all.push_back(task);
  }
  return all;
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskSpec* task : registry()) names.push_back(task->name);
  return names;
}

std::vector<std::string> trained_task_names() {
  std::vector<std::string> names;
  for (const TaskSpec* task : registry()) {
    if (!only_predicts(*task)) names.push_back(task->name);
  }
  return names;
}

const TaskSpec& task_called(const std::string& name) {
  const std::vector<const TaskSpec*> all = registry();
  const auto found = std::ranges::find(all, name, &TaskSpec::name);
  if (found != all.end()) return **found;
  throw UsageError({.where = "task", .given = in_quotes(name), .expected = "one of " + list_of(task_names())});
}

const TaskSpec& task_of(const std::filesystem::path& folder) {
  const TaskSpec* best = &text_classification_spec();
  size_t longest = 0;
  for (const std::string& architecture : hub::read_config(folder).get_strings("architectures")) {
    for (const TaskSpec* task : registry()) {
      for (const std::string& ending : task->classes) {
        if (ending.size() <= longest || !architecture.ends_with(ending)) continue;
        best = task;
        longest = ending.size();
      }
    }
    if (longest > 0) break;
  }
  return *best;
}

std::vector<OptionField> option_fields(TaskOptions& options) {
  std::vector<OptionField> all;
  for (const TaskSpec* task : registry()) {
    for (OptionField& field : task->fields(options)) {
      const auto known = std::ranges::find(all, field.name, &OptionField::name);
      if (known != all.end()) {
        share(*known, field);
        continue;
      }
      if (field.group.empty()) field.group = heading_of(task->name);
      all.push_back(std::move(field));
    }
  }
  return all;
}

std::vector<std::string> tasks_with(const std::string& option) {
  std::vector<std::string> names;
  for (const TaskSpec* task : registry()) {
    if (has_option(*task, option)) names.push_back(task->name);
  }
  return names;
}

bool only_predicts(const TaskSpec& task) {
  const auto predicting = predicting_tasks();
  return std::ranges::find(predicting, &task) != predicting.end();
}

std::set<std::string> prediction_options() {
  std::set<std::string> names, others;
  TaskOptions defaults;
  for (const TaskSpec* task : registry()) {
    for (const OptionField& field : task->fields(defaults)) {
      const bool is_of_predictions = only_predicts(*task) || task->prediction_options.contains(field.name);
      (is_of_predictions ? names : others).insert(field.name);
    }
  }
  std::erase_if(names, [&](const std::string& name) { return others.contains(name); });
  return names;
}

bool has_option(const TaskSpec& task, const std::string& option) {
  const auto of_runs = kRunOptions.find(option);
  if (of_runs != kRunOptions.end()) return task.run_options.contains(of_runs->second);
  TaskOptions defaults;
  const std::vector<OptionField> fields = task.fields(defaults);
  return std::ranges::find(fields, option, &OptionField::name) != fields.end();
}

}  // namespace tasks
}  // namespace portatune
