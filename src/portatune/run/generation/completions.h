// The continuations of prompts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/generate/options.h"
#include "portatune/generation.h"
#include "portatune/run.h"
#include "portatune/run/generation/prompts.h"

namespace portatune::run {

/// The options of a generator's model with other values for some of them. Reports what has no effect: options, and
/// settings in the folder of the model.
GenerationOptions generation_options(const Generator& generator, const std::filesystem::path& model,
                                     const generate::OptionTexts& texts, Events& events);

/// The continuations of the prompts.
/// is_chat  whether the prompts are conversations, which have token ids
/// errors   those of Generator::generate()
std::vector<Completion> complete(Generator& generator, const std::vector<Prompt>& prompts,
                                 const GenerationOptions& options, bool is_chat, GenerationCallback& callback);

/// A continuation as a line of JSON.
/// adapter  the name of one of several adapters, or empty
/// times    those of the only text; null if there are several, whose lines are the same in each run
std::string json_of(const std::string& adapter, const std::string& prompt, const Completion& completion,
                    const GenerationTimes* times);

}  // namespace portatune::run
