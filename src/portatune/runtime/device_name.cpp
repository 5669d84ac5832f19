#include "portatune/runtime/device_name.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include "portatune/base/text/number.h"
#include "portatune/error.h"

namespace portatune {
namespace {

constexpr std::array<std::string_view, 3> kPlatforms = {"cpu", "cuda", "tpu"};

}  // namespace

DeviceName device_name(const std::string& text) {
  const size_t colon = text.find(':');
  DeviceName name{.platform = text.substr(0, colon), .numbers = {}};
  bool fits = std::ranges::find(kPlatforms, name.platform) != kPlatforms.end();
  if (colon != std::string::npos) {
    fits = fits && name.platform == "cuda";
    for (const auto part : std::views::split(std::string_view(text).substr(colon + 1), ',')) {
      const auto number = number_in<int64_t>(std::string_view(part.begin(), part.end()));
      fits = fits && number && *number >= 0 && std::ranges::find(name.numbers, *number) == name.numbers.end();
      if (fits) name.numbers.push_back(*number);
    }
  }
  if (fits && (colon == std::string::npos || !name.numbers.empty())) return name;
  throw UsageError({.where = "device \"" + text + "\"",
                    .given = "an unknown device",
                    .expected = "cpu, cuda, cuda:N (the GPU of this number), cuda:N,M or tpu"});
}

}  // namespace portatune
