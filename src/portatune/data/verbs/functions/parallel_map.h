// map() on a pool of threads.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "portatune/data/stage.h"

namespace portatune::data {

/// The name of map() in states, for any number of threads.
inline constexpr const char* kMapStage = "map";

/// Makes an example from another. `number` counts the examples of the input, from 0 where the pass begins or resumes.
using NumberedFunction = std::function<Example(Example example, int64_t number)>;

/// Throws UsageError for a negative number of threads or a block size below 1.
void require_map_options(std::string_view verb, const MapOptions& options);

/// Applies f to the input's examples on options.threads threads.
/// bad_rows  as in Pass
std::unique_ptr<Iterator> parallel_map(std::unique_ptr<Iterator> input, NumberedFunction f, MapOptions options,
                                       std::shared_ptr<BadRows> bad_rows);

}  // namespace portatune::data
