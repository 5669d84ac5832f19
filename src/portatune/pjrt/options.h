// Options that are passed to a plugin by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace portatune::pjrt {

using OptionValue = std::variant<bool, int64_t, float, std::string, std::vector<int64_t>>;
/// Options by name. Plugins refuse unknown names and values of another type.
using Options = std::map<std::string, OptionValue>;

}  // namespace portatune::pjrt
