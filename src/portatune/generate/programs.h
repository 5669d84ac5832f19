// The compiled programs of generation: one reads prompts, the other makes tokens.
#pragma once

#include <optional>
#include <vector>

#include "portatune/generate/search.h"
#include "portatune/nn.h"

namespace portatune::generate {

/// Sizes of the arrays. Each has few different values, which limits the number of programs.
struct Sizes {
  int64_t prompts;  ///< prompts in a batch
  int64_t prompt;   ///< tokens of a prompt, padded on the left; prefill only
  int64_t length;   ///< positions for prompt and new tokens
};

/// A program and the model parameters that come first among its inputs.
struct GenerationProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
};

/// Reads prompts and adds the first token.
///   lora        the adapter of the model
///   parameters  the weights; int32 [prompts, prompt] ids; int32 [prompts] padding before them; settings_parameters()
///   results     the state
GenerationProgram prefill_program(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes,
                                  DType dtype, const std::optional<Lora>& lora = {});

/// Adds tokens up to position settings.pause, or until all texts have ended.
///   parameters  the weights, the state, settings_parameters()
///   results     the state, in the memory of the old state
GenerationProgram decode_program(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes,
                                 DType dtype, const std::optional<Lora>& lora = {});

}  // namespace portatune::generate
