// Passes over sources with random access.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "portatune/data/stage.h"

namespace portatune::data {

/// A source with random access. A pass may outlive the stage that describes it.
struct Indexed {
  std::string stage;                   ///< name in states
  int64_t size = 0;                    ///< number of elements
  std::function<Example(int64_t)> at;  ///< element i
  std::string fingerprint = {};        ///< of the data; a state with another fingerprint is an error
};

/// The elements in their order. The state is the index of the next element.
std::unique_ptr<Iterator> iterate_by_index(Indexed source);

}  // namespace portatune::data
