#include "portatune/tasks/objectives/heads.h"

#include <string>

#include "portatune/error.h"

namespace portatune::tasks {

std::string_view name_of(Head head) {
  switch (head) {
    case Head::kSoftmax:
      return "softmax";
    case Head::kSigmoid:
      return "sigmoid";
    case Head::kMultiLabel:
      return "multi_label";
    case Head::kRegression:
      break;
  }
  return "regression";
}

Problem problem_of(Head head) {
  if (head == Head::kSoftmax) return Problem::kSingleLabel;
  return head == Head::kRegression ? Problem::kRegression : Problem::kMultiLabel;
}

std::string_view problem_type_of(Head head) {
  switch (problem_of(head)) {
    case Problem::kSingleLabel:
      return "single_label_classification";
    case Problem::kMultiLabel:
      return "multi_label_classification";
    case Problem::kRegression:
      break;
  }
  return "regression";
}

Head head_in(const io::JsonObject& config) {
  const std::string problem = config.get_string_or("problem_type", problem_type_of(Head::kSoftmax));
  if (problem == problem_type_of(Head::kSoftmax)) return Head::kSoftmax;
  if (problem == problem_type_of(Head::kRegression)) return Head::kRegression;
  if (problem == problem_type_of(Head::kMultiLabel)) {
    return config.get_string_map("id2label").size() == 1 ? Head::kSigmoid : Head::kMultiLabel;
  }
  throw CheckpointError({.where = "config.json, problem_type",
                         .given = "\"" + problem + "\"",
                         .expected = "single_label_classification, multi_label_classification or regression"});
}

}  // namespace portatune::tasks
