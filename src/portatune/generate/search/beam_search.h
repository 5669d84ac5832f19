// Beam search: several texts for each prompt, of which the most probable ones grow.
#pragma once

#include "portatune/generate/search/search.h"

namespace portatune::generate {

/// Beam search as in transformers 5. The ended texts are in State::search.
std::unique_ptr<Search> beam_search(const SearchKind& kind);

/// Indices in State::search of the ended texts.
inline constexpr size_t kEndedTokens = 1;    ///< int32 [prompts, beams, length], the best first
inline constexpr size_t kEndedLengths = 3;   ///< int32 [prompts, beams]: tokens after the prompt
inline constexpr size_t kEndedLogprobs = 6;  ///< float32 [prompts, beams]: sums over the new tokens; only with scores

}  // namespace portatune::generate
