// Lists and objects in the columns of a row, stored as JSON; lists of numbers may be arrays.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::tasks {

/// A DataError with the row and the shortened content of its column.
DataError bad_column(const data::Example& row, std::string_view column, std::string expected);

/// The parsed value of a column; an array becomes a list.
/// errors  DataError that names row and column if it is missing or not JSON
nlohmann::json json_in(const data::Example& row, std::string_view column);

/// A list of strings; integers in it become texts.
/// errors  DataError as json_in, and for any other value
std::vector<std::string> texts_in(const data::Example& row, std::string_view column);

}  // namespace portatune::tasks
