#include "portatune/runtime/pjrt/plugin/pins.h"

#include <array>
#include <stdexcept>

namespace portatune::pjrt {
namespace {

struct LockedFile {
  std::string_view package, version, sha256, sha256_of_aarch64;
};

constexpr auto kLocked = std::to_array<LockedFile>({
#include "pins.inc"
});

#if defined(__aarch64__)
constexpr bool kIsAarch64 = true;
#else
constexpr bool kIsAarch64 = false;
#endif

}  // namespace

Pin pin_of(std::string_view package) {
  for (const LockedFile& file : kLocked) {
    if (file.package != package) continue;
    const bool differs = kIsAarch64 && !file.sha256_of_aarch64.empty();
    return {.package = std::string(file.package),
            .version = std::string(file.version),
            .sha256 = std::string(differs ? file.sha256_of_aarch64 : file.sha256)};
  }
  throw std::logic_error(std::string(package) + " is not in tools/lock.txt");
}

std::string to_string(const Pin& pin) { return pin.package + " " + pin.version; }

}  // namespace portatune::pjrt
