// What a config says of its classification head.
#pragma once

#include <string_view>

#include "portatune/io/text/json.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/text_classification.h"

namespace portatune::tasks {

/// "softmax", "sigmoid", "multi_label" or "regression".
std::string_view name_of(Head head);

/// What the labels are: a sigmoid head is one of several labels, with one of them.
Problem problem_of(Head head);
/// "problem_type" in transformers.
std::string_view problem_type_of(Head head);

/// The head of a checkpoint: softmax where nothing is said. transformers tells a sigmoid head of one logit from one of
/// several labels by their number alone.
/// errors  CheckpointError for a problem_type that is not known
Head head_in(const io::JsonObject& config);

}  // namespace portatune::tasks
