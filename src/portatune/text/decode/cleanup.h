// Takes away spaces that English has not.
#pragma once

#include <string>
#include <string_view>

namespace portatune::text {

/// Whose rules: those of the decoder WordPiece, which also turns " do not" into " don't", or those of
/// clean_up_tokenization_spaces.
enum class Cleanup { kTokenizers, kTransformers };

std::string clean_up(std::string_view text, Cleanup rules);

}  // namespace portatune::text
