// Options and prompt indices as inputs of the programs. This file defines their layout for host and program.
#pragma once

#include <vector>

#include "portatune/generation.h"
#include "portatune/graph.h"

namespace portatune::generate {

/// Maximal number of eos tokens.
inline constexpr int64_t kMaxEosTokens = 16;

/// The settings as values in a program.
struct Settings {
  Value temperature, top_p, repetition_penalty, length_penalty;  ///< float32 scalars
  Value pause;                                                   ///< int32: end position of this call
  Value end;                                                     ///< int32: end position of all texts
  Value first;                                                   ///< int32: position of the first new token
  Value top_k, pad_token_id;                                     ///< int32 scalars
  Value early_stopping;                                          ///< int32: the enumerator
  Value eos_token_id;                                            ///< int32 [kMaxEosTokens], -1: none
  Value key;                                                     ///< uint32 [2]
  Value numbers;                                                 ///< uint32 [prompts]: indices among all prompts
};

/// The parameters of a program for the settings.
Values settings_parameters(int64_t prompts);
/// The settings that these parameters hold.
Settings settings_of(const Values& parameters);

/// Positions in the texts, as in Settings.
struct Positions {
  int64_t pause, end, first;
};
/// The arguments for settings_parameters(). Only the last one has an element for each prompt.
std::vector<Tensor> settings_arguments(const GenerationOptions& options, const Positions& positions,
                                       int32_t pad_token_id, const Tensor& numbers);

}  // namespace portatune::generate
