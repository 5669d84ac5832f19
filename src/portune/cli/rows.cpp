#include "portune/cli/rows.h"

namespace portune::cli {

data::Dataset read_rows(const std::vector<std::string>& files, const TextClassificationOptions& options,
                        TextClassification::Labels labels) {
  std::vector<std::string> columns = {options.text_column};
  if (!options.text_pair_column.empty()) columns.push_back(options.text_pair_column);
  if (labels == TextClassification::Labels::kRequired) columns.push_back(options.label_column);
  return data::read_table(files, {.columns = columns});
}

data::Dataset evaluation_batches(const TextClassification& task, const data::Dataset& rows, int64_t size,
                                 TextClassification::Labels labels) {
  return task.batches(rows, size, labels).prefetch(2);
}

}  // namespace portune::cli
