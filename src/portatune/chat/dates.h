// The date that a template prints.
#pragma once

#include <ctime>
#include <string>

namespace portatune::chat {

/// Parses a date.
/// date    "2026-11-21", midnight of that day; empty: now, in local time
/// errors  UsageError for any other text
std::tm time_of(const std::string& date);

/// The local date in the format of time_of().
std::string today();

}  // namespace portatune::chat
