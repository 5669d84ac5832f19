// The name by which a resumed run recognises the model that it starts from.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {

/// The last part of the path of a model, or of its name on the Hub. A resumed run may thus find the model in another
/// folder, or by its name.
std::string name_of_model(const std::filesystem::path& folder);

/// Saved facts with the name of the model, in place of which earlier versions have saved its path.
train::RunFacts with_name_of_model(train::RunFacts saved);

}  // namespace portatune::run
