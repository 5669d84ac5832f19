#include "portatune/base/text/number.h"

#include <fmt/format.h>

namespace portatune {

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string in_units(double number, double base, const std::array<const char*, 5>& units) {
  size_t unit = 0;
  for (; number >= base && unit + 1 < units.size(); ++unit) number /= base;
  return unit == 0 ? fmt::format("{:.0f} {}", number, units[unit]) : fmt::format("{:.2f} {}", number, units[unit]);
}

std::string binary_size(int64_t bytes) {
  return in_units(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}
std::string decimal_size(double bytes) { return in_units(bytes, 1000, {"B", "kB", "MB", "GB", "TB"}); }

}  // namespace portatune
