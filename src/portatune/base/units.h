// Large numbers for people.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace portatune {

/// 1234567 as "1,234,567".
std::string grouped(int64_t number);

/// A number in the largest unit that is not above it. Each unit is `base` times the one before.
std::string in_units(double number, double base, const std::array<const char*, 5>& units);

/// "1.25 GiB", as memory is sold.
std::string binary_size(int64_t bytes);
/// "1.34 GB", as disks and networks are.
std::string decimal_size(double bytes);

}  // namespace portatune
