#include "portatune/tasks/rows/json_number.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace portatune::tasks {

double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

nlohmann::ordered_json numbers(std::span<const float> values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const float value : values) list.push_back(shortest(value));
  return list;
}

}  // namespace portatune::tasks
