#include "portatune/chat/jinja/template.h"

#include <nlohmann/json.hpp>

#include "portatune/error.h"

namespace portatune::jinja {

Template::Template(std::string_view source, std::string where)
    : where_(std::move(where)), source_(parse(source, where_)) {}

Rendered Template::render(const Value& variables, const std::tm& now) const {
  Renderer r(variables, now);
  const auto where = [&] { return where_ + ", line " + std::to_string(r.line()); };
  try {
    run_all(source_.body, r);
  } catch (const Fault& fault) {
    throw DataError({.where = where(), .given = fault.given, .expected = fault.expected});
  } catch (const Unsupported& unsupported) {
    throw CheckpointError(
        {.where = where(), .given = unsupported.what, .expected = "a construct of Jinja that Portatune supports"});
  }
  return {.text = r.text(), .generations = r.spans()};
}

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
