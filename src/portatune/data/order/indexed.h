// Passes over what has random access.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "portatune/data/stage.h"

namespace portatune::data {

/// What a pass over a source with random access needs, which may outlive the source.
struct Indexed {
  std::string stage;                   ///< its name in states
  int64_t size = 0;                    ///< elements
  std::function<Example(int64_t)> at;  ///< element i
  std::string fingerprint = {};        ///< of the data: a state with another one is refused
};

/// The elements in their order. Its state is the number of the next one.
std::unique_ptr<Iterator> iterate_by_index(Indexed source);

}  // namespace portatune::data
