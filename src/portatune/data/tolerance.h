// Handling of bad rows in stages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/sources.h"

namespace portatune::data {

/// Skips the row of `error`. Must be called from the handler of `error`, by a stage that can continue with the next
/// row.
/// bad_rows  null: bad rows are errors, and `error` is thrown again
/// errors    DataError if there are too many bad rows
void skip_bad_row(BadRows* bad_rows, const Error& error);
/// The same for an error that a function threw for the row of this origin.
void skip_bad_row(BadRows* bad_rows, const Error& error, const Origin& origin);

/// The error of a bad record, for readers by index, which can continue with another record.
/// index  identifies the example if its origin does not
io::BadRecordError as_bad_record(const Error& error, Origin origin, int64_t index);

/// A state without the list of skipped rows, which depends on the progress of the pass and not on the data.
nlohmann::json without_bad_rows(nlohmann::json state);

/// call_on(example, function), or nullopt for a skipped row: one for which the function throws DataError, or
/// NotFoundError, as a row may name a file.
template <class Argument, class Function>
auto call_tolerantly(BadRows* bad_rows, Argument&& example, const Function& function)
    -> std::optional<decltype(call_on(std::forward<Argument>(example), function))> {
  const Origin origin = example.origin();  // the example may be moved away
  try {
    return call_on(std::forward<Argument>(example), function);
  } catch (const DataError& error) {
    skip_bad_row(bad_rows, error, origin);
  } catch (const NotFoundError& error) {
    skip_bad_row(bad_rows, error, origin);
  }
  return std::nullopt;
}

}  // namespace portatune::data
