// The prompts of generate: texts, or conversations by the model's chat template.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/cli/options/commands.h"

namespace portatune::cli {

struct Prompt {
  std::string shown;         ///< the prompt as it was given: a text, or messages in JSON
  std::vector<int32_t> ids;  ///< token ids of a conversation up to the turn of the assistant; empty: encode `shown`
};

/// errors  UsageError if there is no prompt, and for options of conversations without --chat; DataError for a
///         conversation that the template refuses; CheckpointError if the model has no template
std::vector<Prompt> read_prompts(const GenerateArguments& arguments);

}  // namespace portatune::cli
