// Environment variables.
#pragma once

#include <optional>
#include <string>

namespace portatune {

/// The value of an environment variable; none if it is unset or empty.
std::optional<std::string> environment_variable(const char* name);

}  // namespace portatune
