#include "portatune/cli/predict/prediction_file.h"

#include "portatune/cli/terminal/result_file.h"
#include "portatune/run/predictions/prediction_file.h"

namespace portatune::cli {

std::unique_ptr<run::PredictionSink> prediction_file(const PredictArguments& a, const RowTask& task,
                                                     const data::Dataset& rows) {
  return run::prediction_file(a.output, a.model, task, rows, [&a] { return std::make_unique<ResultFile>(a.output); });
}

}  // namespace portatune::cli
