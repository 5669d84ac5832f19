// Helpers that run templates on JSON.
#pragma once

#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "portatune/chat/jinja/template.h"

namespace portatune::jinja {

/// The time of the golden files: Thursday, 4 July 2024, 09:05:06.
inline std::tm golden_time() {
  std::tm time{};
  time.tm_year = 124, time.tm_mon = 6, time.tm_mday = 4;
  time.tm_hour = 9, time.tm_min = 5, time.tm_sec = 6;
  time.tm_wday = 4, time.tm_yday = 185;
  return time;
}

inline Rendered run(const std::string& source,
                    const nlohmann::ordered_json& variables = nlohmann::ordered_json::object()) {
  return Template(source, "template").render(from_json(variables), golden_time());
}

/// The spans in code points, as the reference counts.
inline std::vector<std::pair<int64_t, int64_t>> in_code_points(const Rendered& rendered) {
  const auto count = [&](size_t end) {
    int64_t characters = 0;
    for (size_t i = 0; i < end && i < rendered.text.size(); ++i)
      characters += (rendered.text[i] & 0xC0) != 0x80 ? 1 : 0;
    return characters;
  };
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const auto& [begin, end] : rendered.generations) spans.emplace_back(count(begin), count(end));
  return spans;
}

}  // namespace portatune::jinja
