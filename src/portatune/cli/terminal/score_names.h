// Names of scores for people.
#pragma once

#include <string>

namespace portatune::cli {

/// The short name of a score: "AUC" for "roc_auc".
std::string display_name(const std::string& score);

}  // namespace portatune::cli
