// Grapheme clusters, as far as the normalizer Precompiled looks at them.
#pragma once

#include <cstddef>
#include <string_view>

namespace portune::text {

/// Behind the grapheme cluster that begins at text[at]. Exact for clusters of less than 6 bytes: flags, emoji sequences
/// and Indic conjuncts, all of which are longer, are cut.
/// source    Unicode Standard Annex #29, rules GB3 to GB9b
size_t end_of_cluster(std::string_view text, size_t at);

}  // namespace portune::text
