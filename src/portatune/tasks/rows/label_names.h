// The names of classes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/io/text/json.h"

namespace portatune::tasks {

/// id2label of a config, in the order of the ids. Without it a classifier has LABEL_0, LABEL_1, ...: two classes unless
/// config.json has num_labels, as in transformers. Other models have none.
/// errors  CheckpointError for ids with gaps
std::vector<std::string> labels_in(const io::JsonObject& config);

/// The requested labels in their final order; those of the checkpoint if none are requested. If there are as many as in
/// the checkpoint, labels that it knows keep their ids, so that its classifier keeps its meaning for them, and the
/// others take the remaining ids.
std::vector<std::string> in_stored_order(const std::vector<std::string>& wanted, std::vector<std::string> stored);

/// Throws a UsageError unless these are UTF-8, the encoding of config.json.
void require_utf8(const std::vector<std::string>& labels);
/// Throws a UsageError unless these are at least two classes, all different, in UTF-8.
void require_classes(const std::vector<std::string>& labels);

/// errors  DataError that names the row if the label in a column is empty
void require_label(const data::Example& row, const std::string& column);

/// The id of the label in a column.
/// errors  DataError that names the row and the known labels
int32_t label_id(const data::Example& row, const std::string& column, const std::vector<std::string>& labels);

/// The id of a label. If the classes only have the generated names of transformers, LABEL_0 and so on, the data have
/// their numbers.
std::optional<int32_t> id_of(const std::string& label, const std::vector<std::string>& labels);

/// The number of a class that is named by a number: 0 or more.
std::optional<int64_t> class_number(const std::string& label);

}  // namespace portatune::tasks
