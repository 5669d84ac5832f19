// Removes spaces that English text does not have.
#pragma once

#include <string>
#include <string_view>

namespace portatune::text {

/// The rules to apply: those of the decoder WordPiece, which also turns " do not" into " don't", or those of
/// clean_up_tokenization_spaces.
enum class Cleanup { kTokenizers, kTransformers };

std::string clean_up(std::string_view text, Cleanup rules);

}  // namespace portatune::text
