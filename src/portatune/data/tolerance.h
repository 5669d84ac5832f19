// What stages do with a row that is bad.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

#include "portatune/bad_rows.h"
#include "portatune/data/verbs/user_function.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::data {

/// To be called while `error` is being handled, by a stage that can go on with the next row. Throws it again if bad
/// rows are not passed over (null), and DataError if there are too many.
void pass_over(BadRows* bad_rows, const Error& error);
/// The same for an error that a function has thrown for the row of this origin.
void pass_over(BadRows* bad_rows, const Error& error, const Origin& origin);

/// The same error as that of a bad record, for one who finds examples by their numbers and can go on with another.
/// index  names the example where its origin does not
io::BadRecordError as_bad_record(const Error& error, Origin origin, int64_t index);

/// A state but for the rows that were passed over, which say how far data were read and not which data they are.
nlohmann::json without_bad_rows(nlohmann::json state);

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

}  // namespace portatune::data
