#include "portune/cli/rows.h"

#include "portune/cli/exit_code.h"
#include "portune/cli/signals.h"

namespace portune::cli {

data::Dataset read_rows(const std::vector<std::string>& files, const TextClassificationOptions& options,
                        TextClassification::Labels labels) {
  std::vector<std::string> columns = {options.text_column};
  if (!options.text_pair_column.empty()) columns.push_back(options.text_pair_column);
  if (labels == TextClassification::Labels::kRequired) columns.push_back(options.label_column);
  return data::read_table(files, {.columns = columns});
}

data::Dataset interruptible(const data::Dataset& dataset) {
  return dataset.filter([](const data::Example&) {
    if (caught_signal() != 0) throw Interrupted{caught_signal()};
    return true;
  });
}

data::Dataset evaluation_batches(const TextClassification& task, const data::Dataset& rows, int64_t size,
                                 TextClassification::Labels labels) {
  return task.batches(rows, size, labels).prefetch(2);
}

}  // namespace portune::cli
