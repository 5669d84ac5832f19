// Grapheme clusters, as far as the normalizer Precompiled needs them.
#pragma once

#include <cstddef>
#include <string_view>

namespace portatune::text {

/// The end of the grapheme cluster at text[at]. Flags and Indic conjuncts, which have 6 bytes or more, are split.
/// source    Unicode Standard Annex #29, rules GB3 to GB9b and GB11
size_t end_of_cluster(std::string_view text, size_t at);

}  // namespace portatune::text
