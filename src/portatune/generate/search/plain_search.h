// Greedy search and sampling: one text for each prompt.
#pragma once

#include "portatune/generate/search/search.h"

namespace portatune::generate {

std::unique_ptr<Search> plain_search(const SearchKind& kind);

}  // namespace portatune::generate
