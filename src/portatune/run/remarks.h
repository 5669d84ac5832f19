// Remarks on a model.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/run.h"
#include "portatune/train.h"

namespace portatune::run {

/// Says that the weights are pickles, and names those that have no place in the model, as transformers does. Empty if
/// there is nothing to say.
std::vector<std::string> remarks(const LoadReport& report);
/// Names the keys of config.json that have no effect. Empty if there are none.
std::vector<std::string> remarks_on_config(const std::vector<std::string>& unknown_keys);

/// Hints at the prefixes of sources and the numbers of beams in "task_specific_params" of a T5's config.json, which
/// have no effect by themselves, as in transformers. Empty if the folder has none.
/// task  name of the task: "summarization", "translation"; empty: all
std::vector<std::string> remarks_on_task_params(const std::filesystem::path& model, std::string_view task = {});
/// The same for a run; empty for one with a prefix, and for other tasks than those that write a text from a text.
/// folder  the folder of the model or of the checkpoint from which the run resumes
std::vector<std::string> remarks_on_task_params(const ModelOptions& model, const std::filesystem::path& folder);

}  // namespace portatune::run
