// The classification head that a config describes.
#pragma once

#include <string_view>

#include "portatune/io/text/json.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// The name "softmax", "sigmoid", "multi_label" or "regression".
std::string_view name_of(Head head);

/// The kind of labels of a head. A sigmoid head is a multi-label head with one label.
Problem problem_of(Head head);
/// The "problem_type" of transformers.
std::string_view problem_type_of(Head head);

/// The head of a checkpoint: softmax without a problem_type. transformers distinguishes a sigmoid head from one of
/// several labels only by the number of labels.
/// errors  CheckpointError for an unknown problem_type
Head head_in(const io::JsonObject& config);

}  // namespace portatune::tasks
