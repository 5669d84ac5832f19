// What generate goes on with: texts, or conversations by the model's chat template.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/cli/commands.h"

namespace portatune::cli {

struct Prompt {
  std::string shown;         ///< as it was given: a text, or messages in JSON
  std::vector<int32_t> ids;  ///< of a conversation, up to where the assistant begins; empty: encode what is shown
};

/// errors  UsageError if there is none, and for options of conversations without --chat; DataError for a conversation
///         that the template refuses; CheckpointError if the model has no template
std::vector<Prompt> read_prompts(const GenerateArguments& arguments);

}  // namespace portatune::cli
