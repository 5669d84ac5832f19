// One text for each prompt: the most probable token, or a drawn one, at each place.
#pragma once

#include "portune/generate/search.h"

namespace portune::generate {

std::unique_ptr<Search> plain_search(const SearchKind& kind);

}  // namespace portune::generate
