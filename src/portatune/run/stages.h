// Training in stages, each of which trains a larger model, made from that of the stage before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/models/grow/grow_model.h"
#include "portatune/run.h"

namespace portatune::run {

/// A stage of training.
struct Stage {
  std::string settings;        ///< Settings in which stages differ, as text for records: "layers=2, max-steps=300".
  grow::GrowthOptions growth;  ///< Growth before the training; without sizes the model stays as it is.
  RunOptions options;          ///< Options of the training. Their model is that before the first stage.
};

struct StagesOptions {
  std::vector<Stage> stages;
  std::filesystem::path output;   ///< Folder of the stages.
  bool resume = false;            ///< Whether to continue the stages in `output`, if there are any.
  bool overwrite_output = false;  ///< Whether stages in `output` may be replaced.
};

/// Name of a stage's folder in the output folder: "stage-1" is that of stage 0.
std::string stage_name(size_t stage);

/// Trains the stages one after the other, each as fit() would train it alone, with an optimizer and a schedule of its
/// own. The model of the last stage is the result; the folder of each stage keeps its model.
/// returns  result of the last stage; nothing if the run was stopped on request
/// errors   UsageError for options that exclude each other, and for other settings than those of the run that is
///          resumed; those of grow::grow_model() and of fit()
std::optional<Outcome> fit_stages(const StagesOptions& options, Events& events);

}  // namespace portatune::run
