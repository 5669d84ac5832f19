// One text for each prompt: the most probable token, or a drawn one, at each place.
#pragma once

#include "portatune/generate/search.h"

namespace portatune::generate {

std::unique_ptr<Search> plain_search(const SearchKind& kind);

}  // namespace portatune::generate
