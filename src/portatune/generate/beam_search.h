// Several texts for each prompt, of which the most probable ones go on.
#pragma once

#include "portatune/generate/search.h"

namespace portatune::generate {

/// As transformers' beam search, version 5, does it. The texts that have ended are in the state's `search`.
std::unique_ptr<Search> beam_search(const SearchKind& kind);

/// Where in State::search the best text of each prompt is.
inline constexpr size_t kEndedTokens = 1;   ///< int32 [prompts, beams, length], the best first
inline constexpr size_t kEndedLengths = 3;  ///< int32 [prompts, beams]: tokens after the prompt

}  // namespace portatune::generate
