// Calls of the functions that users hand to map and filter.
#pragma once

#include <utility>

#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {

/// function(example). An error that does not name the example itself is told where it comes from.
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
