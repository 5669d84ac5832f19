// What to say when a column is not there.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune::data {

/// The error for a column that `where` lacks: lists the columns there are and proposes the one spelled most alike.
/// advice  the fix if none is spelled alike
DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names,
                         const std::string& advice = {});

/// The options that say what a file calls the column: those of the task that wants it.
std::string naming_advice(std::string_view wanted);

}  // namespace portatune::data
