// Calls of the functions that users pass to map and filter.
#pragma once

#include <utility>

#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {

/// function(example), with the origin added as context to an error that does not name the example.
template <class Argument, class Function>
auto call_on(Argument&& example, const Function& function) {
  const Origin origin = example.origin();  // the example may be moved away
  try {
    return function(std::forward<Argument>(example));
  } catch (Error& error) {
    if (error.report().where != to_string(origin)) error.set_context(to_string(origin));
    throw;
  }
}

}  // namespace portatune::data
