// Descriptions of options that several tasks share. The describe() of a task's options calls those that it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/option_fields.h"
#include "portatune/tasks/losses.h"

namespace portatune {

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
