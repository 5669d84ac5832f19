// The error analyzers of tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// An analyzer of rows with one class. Its scores equal sklearn.metrics.confusion_matrix and classification_report;
/// undefined scores are absent.
/// classes  names in the order of the ids
std::unique_ptr<ErrorAnalyzer> class_errors(Head head, std::vector<std::string> classes, int64_t max_mistakes);

/// An analyzer of rows with several labels. A row with a wrong label is a mistake; its loss is the sum over the labels.
std::unique_ptr<ErrorAnalyzer> label_errors(std::vector<std::string> labels, int64_t max_mistakes);

/// An analyzer of rows with numbers. Its mistakes are the largest sums of absolute errors; there are no classes.
std::unique_ptr<ErrorAnalyzer> number_errors(int64_t max_mistakes);

/// An analyzer of tagged sentences. Its classes are the types of their entities, as
/// seqeval.metrics.classification_report counts them; there are no mistakes.
/// tags  names in the order of the ids
std::unique_ptr<ErrorAnalyzer> entity_errors(std::vector<std::string> tags);

}  // namespace portatune::tasks
