// Columns under other names than those of the file.
#pragma once

#include <map>
#include <string>

#include "portatune/data.h"

namespace portatune::data {

/// The same rows; a column that is a key of `rename` has the name that this gives it, and keeps its place.
/// errors  DataError, when it is reached, for a row without one of these columns, or with two of one name then
Dataset rename_columns(const Dataset& rows, std::map<std::string, std::string> rename);

}  // namespace portatune::data
