// The names of classes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portune/io/json.h"

namespace portune::tasks {

/// id2label of a config, in the order of the ids; empty if there is none.
/// errors  CheckpointError for ids with gaps
std::vector<std::string> labels_in(const io::JsonObject& config);

/// The id of a label. Where classes have only the names that transformers makes up, LABEL_0 and so on, data have their
/// numbers.
std::optional<int32_t> id_of(const std::string& label, const std::vector<std::string>& labels);

/// The number that a class has in place of a name: 0 or more.
std::optional<int64_t> class_number(const std::string& label);

}  // namespace portune::tasks
