// map() on a pool of threads.
#pragma once

#include <functional>
#include <memory>

#include "portune/data/stage.h"

namespace portune::data {

/// What map() is called in states, however many threads it has.
inline constexpr const char* kMapStage = "map";

/// options   with another number of threads than 1
/// bad_rows  as in Pass
std::unique_ptr<Iterator> parallel_map(std::unique_ptr<Iterator> input, std::function<Example(Example)> f,
                                       MapOptions options, std::shared_ptr<BadRows> bad_rows);

}  // namespace portune::data
