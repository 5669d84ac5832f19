// map() on a pool of threads.
#pragma once

#include <functional>
#include <memory>

#include "portune/data/stage.h"

namespace portune::data {

/// What map() is called in states, however many threads it has.
inline constexpr const char* kMapStage = "map";

/// ordered  whether examples come in the order of the input
std::unique_ptr<Iterator> parallel_map(std::unique_ptr<Iterator> input, std::function<Example(Example)> f, int threads,
                                       bool ordered);

}  // namespace portune::data
