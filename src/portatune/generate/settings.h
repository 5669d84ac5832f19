// Options and the like as inputs of the programs: their layout stands here, for both sides of it.
#pragma once

#include <vector>

#include "portatune/generation.h"
#include "portatune/graph.h"

namespace portatune::generate {

/// Ids that may end a text, at most.
inline constexpr int64_t kMaxEosTokens = 16;

/// In a program.
struct Settings {
  Value temperature, top_p, repetition_penalty, length_penalty;  ///< float32 scalars
  Value pause;                                                   ///< int32: the place before which this call ends
  Value end;                                                     ///< int32: the place before which all texts end
  Value first;                                                   ///< int32: the place of the first new token
  Value top_k, pad_token_id;                                     ///< int32 scalars
  Value early_stopping;                                          ///< int32: the enumerator
  Value eos_token_id;                                            ///< int32 [kMaxEosTokens], -1: none
  Value key;                                                     ///< uint32 [2]
  Value numbers;                                                 ///< uint32 [prompts]: which of all prompts these are
};

/// The parameters that a program has for them, and what they mean.
Values settings_parameters(int64_t prompts);
Settings settings_of(const Values& parameters);

/// Places in the texts, as above.
struct Places {
  int64_t pause, end, first;
};
/// The arguments for these parameters.
std::vector<Tensor> settings_arguments(const GenerationOptions& options, const Places& places, int32_t pad_token_id,
                                       const Tensor& numbers);

}  // namespace portatune::generate
