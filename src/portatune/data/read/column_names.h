// Errors for missing columns.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune::data {

/// The error for a column that `where` lacks: lists the existing columns and suggests the one with the most similar
/// name.
/// advice  the fix if no name is similar
DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names,
                         const std::string& advice = {});

/// Advice on the options that set the column's name in a file.
std::string naming_advice(std::string_view wanted);

}  // namespace portatune::data
