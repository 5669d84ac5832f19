// Remarks on a model.
#pragma once

#include <string>
#include <vector>

#include "portatune/train.h"

namespace portatune::run {

/// Says that the weights are pickles, and names those that have no place in the model, as transformers does. Empty if
/// there is nothing to say.
std::vector<std::string> remarks(const LoadReport& report);
/// Names the keys of config.json that have no effect. Empty if there are none.
std::vector<std::string> remarks_on_config(const std::vector<std::string>& unknown_keys);

}  // namespace portatune::run
