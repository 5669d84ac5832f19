#include "portatune/run/inputs/task_options.h"

#include <algorithm>
#include <string_view>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/run/inputs/added_tasks.h"

namespace portatune::run {
namespace {

constexpr const char* kClassification = "text-classification";
constexpr const char* kTokens = "token-classification";
constexpr const char* kAnswers = "question-answering";
constexpr const char* kChoice = "multiple-choice";
constexpr const char* kMaskedLm = "masked-lm";
constexpr const char* kCausalLm = "causal-lm";
constexpr const char* kImages = "image-classification";

// Options that are not listed belong to every task.
struct TaskOption {
  std::string_view name;
  std::vector<std::string> tasks;
  bool of_added_tasks = false;  // whether tasks of CommandTask have it
};
const TaskOption kOptions[] = {
    {"--max-length", {kClassification, kTokens, kAnswers, kChoice, kMaskedLm, kCausalLm}, true},
    {"--padding", {kClassification, kTokens, kAnswers, kChoice, kMaskedLm, kCausalLm}, true},
    {"--packing", {kClassification, kTokens, kAnswers, kChoice, kMaskedLm, kCausalLm}},
    {"--tokens-per-batch", {kClassification, kTokens, kAnswers, kChoice, kMaskedLm, kCausalLm}},
    {"--text-column", {kClassification, kMaskedLm, kCausalLm}},
    {"--text-pair-column", {kClassification}},
    {"--label-column", {kClassification, kChoice, kImages}},
    {"--weight-column", {kClassification, kTokens, kChoice, kImages}},
    {"--label-columns", {kClassification}},
    {"--label-separator", {kClassification}},
    {"--labels", {kClassification, kImages}},
    {"--head", {kClassification}},
    {"--label-smoothing-factor", {kClassification, kImages}},
    {"--class-weights", {kClassification, kImages}},
    {"--positive-weights", {kClassification}},
    {"--focal-gamma", {kClassification, kImages}},
    {"--metrics", {kClassification, kImages}},
    {"--tokens-column", {kTokens}},
    {"--tags-column", {kTokens}},
    {"--doc-stride", {kAnswers}},
    {"--version-2-with-negative", {kAnswers}},
    {"--n-best-size", {kAnswers}},
    {"--max-answer-length", {kAnswers}},
    {"--null-score-diff-threshold", {kAnswers}},
    {"--context-column", {kChoice}},
    {"--header-column", {kChoice}},
    {"--ending-columns", {kChoice}},
    {"--endings-column", {kChoice}},
    {"--mlm-probability", {kMaskedLm}},
    {"--whole-words", {kMaskedLm}},
    {"--next-sentence", {kMaskedLm}},
    {"--messages-column", {kCausalLm}},
    {"--prompt-column", {kCausalLm}},
    {"--completion-column", {kCausalLm}},
    {"--input-column", {kCausalLm}},
    {"--as-messages", {kCausalLm}},
    {"--chat-template", {kCausalLm}},
    {"--chat-template-kwargs", {kCausalLm}},
    {"--chat-date", {kCausalLm}},
    {"--image-column", {kImages}},
    {"--max-pixels", {kImages}},
    {"--reduced-decode", {kImages}},
    {"--no-random-crop", {kImages}},
    {"--no-flip", {kImages}},
    {"--color-jitter", {kImages}},
};

}  // namespace

bool is_option_of(const std::string& task, const std::string& option) {
  const auto* row = std::ranges::find(kOptions, option, &TaskOption::name);
  if (row == std::end(kOptions)) return false;
  return std::ranges::count(row->tasks, task) > 0 || (row->of_added_tasks && added_tasks().contains(task));
}

std::string as_key(const std::string& option) {
  std::string key = option.substr(option.find_first_not_of('-'));
  std::ranges::replace(key, '-', '_');
  return key;
}

void require_options_of(const std::string& task, const std::vector<GivenOption>& given) {
  for (const GivenOption& option : given) {
    const auto* row = std::ranges::find(kOptions, option.name, &TaskOption::name);
    if (row == std::end(kOptions) || std::ranges::count(row->tasks, task) > 0) continue;
    if (row->of_added_tasks && added_tasks().contains(task)) continue;
    throw UsageError({.where = option.place,
                      .given = option.name + " with --task " + task,
                      .expected = "an option of this task; this one belongs to " + list_of(row->tasks)});
  }
}

}  // namespace portatune::run
