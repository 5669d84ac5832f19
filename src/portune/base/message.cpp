#include "portune/base/message.h"

#include <array>
#include <charconv>

namespace portune {

std::string to_text(double value) {
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.begin(), digits.end(), value);
  return {digits.data(), written.ptr};
}

}  // namespace portune
