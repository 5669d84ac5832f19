// What stages do with a row that is bad.
#pragma once

#include <optional>
#include <utility>

#include "portune/bad_rows.h"
#include "portune/data/user_function.h"

namespace portune::data {

/// To be called while `error` is being handled, by a stage that can go on with the next row. Throws it again if bad
/// rows are not passed over (null), and DataError if there are too many.
void pass_over(BadRows* bad_rows, const Error& error);
/// The same for an error that a function has thrown for the row of this origin.
void pass_over(BadRows* bad_rows, const Error& error, const Origin& origin);

/// call_on(example, function), or nothing for a row that is passed over: one for which the function throws DataError,
/// or NotFoundError, as a row may name a file.
template <class Argument, class Function>
auto call_tolerantly(BadRows* bad_rows, Argument&& example, const Function& function)
    -> std::optional<decltype(call_on(std::forward<Argument>(example), function))> {
  const Origin origin = example.origin();  // the example may be moved away
  try {
    return call_on(std::forward<Argument>(example), function);
  } catch (const DataError& error) {
    pass_over(bad_rows, error, origin);
  } catch (const NotFoundError& error) {
    pass_over(bad_rows, error, origin);
  }
  return std::nullopt;
}

}  // namespace portune::data
