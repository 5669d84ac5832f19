// Renaming of columns.
#pragma once

#include <map>
#include <string>

#include "portatune/data.h"

namespace portatune::data {

/// The same rows with columns renamed from the keys of `rename` to its values, in the same order.
/// errors  DataError, when the row is reached, for a row without one of these columns, or with two columns of
///         one name after renaming
Dataset rename_columns(const Dataset& rows, std::map<std::string, std::string> rename);

}  // namespace portatune::data
