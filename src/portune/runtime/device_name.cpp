#include "portune/runtime/device_name.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "portune/base/number.h"
#include "portune/error.h"

namespace portune {
namespace {

constexpr std::array<std::string_view, 3> kPlatforms = {"cpu", "cuda", "tpu"};

}  // namespace

DeviceName device_name(const std::string& text) {
  const size_t colon = text.find(':');
  DeviceName name{.platform = text.substr(0, colon), .number = {}};
  bool fits = std::ranges::find(kPlatforms, name.platform) != kPlatforms.end();
  if (colon != std::string::npos) {
    name.number = number_in<int64_t>(std::string_view(text).substr(colon + 1));
    fits = name.platform == "cuda" && name.number && *name.number >= 0;
  }
  if (fits) return name;
  throw UsageError({.where = "device \"" + text + "\"",
                    .given = "no device that there is a plugin for",
                    .expected = "cpu, cuda, cuda:N (the GPU of this number) or tpu"});
}

}  // namespace portune
