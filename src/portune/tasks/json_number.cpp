#include "portune/tasks/json_number.h"

#include <fmt/format.h>

#include <cstdlib>

namespace portune::tasks {

double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

}  // namespace portune::tasks
