#include "portatune/jinja/from_json.h"

#include <nlohmann/json.hpp>

namespace portatune::jinja {

Value from_json(const nlohmann::ordered_json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_null()) return None{};
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX}) return json.get<double>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_array()) {
    std::vector<Value> items;
    for (const auto& item : json) items.push_back(from_json(item));
    return make_list(std::move(items));
  }
  std::vector<std::pair<Value, Value>> items;
  for (const auto& [key, item] : json.items()) items.emplace_back(key, from_json(item));
  return make_dict(std::move(items));
}

}  // namespace portatune::jinja
