// The compiled programs of generation: one reads prompts, the other makes tokens.
#pragma once

#include <optional>
#include <vector>

#include "portatune/generate/search/search.h"
#include "portatune/nn.h"

namespace portatune::generate {

/// Sharding of arrays with a row for each prompt, or several: each device has those of some prompts.
inline const Sharding kPromptSharding{.axis = 0, .over = kBatchAxes};

/// Sizes of the whole arrays. Each has few different values, which limits the number of programs.
struct Sizes {
  int64_t prompts;  ///< prompts in a batch; the devices along kBatchAxes divide them
  int64_t prompt;   ///< tokens of a prompt, with padding; decode reads it only for encoder-decoder models
  int64_t length;   ///< positions of a text: its first tokens (the prompt, if it continues that) and new tokens
};

/// A program and the model parameters, whose nn::arguments_of() come first among its inputs.
struct GenerationProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
};

/// Reads prompts and adds the first token. Arrays of prompts are in kPromptSharding.
///   lora        the adapter of the model
///   parameters  the weights; int32 [prompts, prompt] ids; int32 [prompts] padding in each row; settings_parameters()
///   results     the texts: their state and context
GenerationProgram prefill_program(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes,
                                  DType dtype, const std::optional<Lora>& lora = {}, const Mesh& mesh = {});

/// Adds tokens up to position settings.pause, or until all texts on all devices have ended.
///   parameters  the weights, the texts, settings_parameters()
///   results     the texts, in the same memory
GenerationProgram decode_program(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes,
                                 DType dtype, const std::optional<Lora>& lora = {}, const Mesh& mesh = {});

}  // namespace portatune::generate
