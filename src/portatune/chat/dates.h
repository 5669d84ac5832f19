// The day that a template tells.
#pragma once

#include <ctime>
#include <string>

namespace portatune::chat {

/// date    "2026-11-21", its midnight; empty: now, in local time
/// errors  UsageError for any other text
std::tm time_of(const std::string& date);

/// The local day, as time_of() reads it.
std::string today();

}  // namespace portatune::chat
