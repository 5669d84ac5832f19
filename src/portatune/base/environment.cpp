#include "portatune/base/environment.h"

#include <cstdlib>

namespace portatune {

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace portatune
