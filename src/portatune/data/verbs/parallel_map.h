// map() on a pool of threads.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "portatune/data/stage.h"

namespace portatune::data {

/// What map() is called in states, however many threads it has.
inline constexpr const char* kMapStage = "map";

/// Makes of an example another one. `number` counts those of the input, from 0 where the pass begins or goes on.
using NumberedFunction = std::function<Example(Example example, int64_t number)>;

/// UsageError for a number of threads or a size of blocks that makes no sense.
void require_map_options(std::string_view verb, const MapOptions& options);

/// bad_rows  as in Pass
std::unique_ptr<Iterator> parallel_map(std::unique_ptr<Iterator> input, NumberedFunction f, MapOptions options,
                                       std::shared_ptr<BadRows> bad_rows);

}  // namespace portatune::data
