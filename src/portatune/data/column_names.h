// What to say when a column is not there.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune::data {

/// The error for a column that `where` lacks: lists the columns there are and proposes the one spelled most alike.
DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names);

}  // namespace portatune::data
