// The continuations of prompts by the options of generate.
#pragma once

#include <vector>

#include "portatune/cli/options/commands.h"
#include "portatune/cli/predict/chat_prompts.h"
#include "portatune/generation.h"

namespace portatune::cli {

/// The settings of the command line over those of the model. Reports settings without effect.
GenerationOptions options_of(const GenerateArguments& arguments, const Generator& generator);
/// The continuations of the prompts.
/// errors  those of Generator::generate()
std::vector<Completion> complete(Generator& generator, const std::vector<Prompt>& prompts,
                                 const GenerationOptions& options, bool is_chat, GenerationCallback& callback);

}  // namespace portatune::cli
