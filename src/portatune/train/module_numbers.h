// Numbers of single modules as the text of an option: "query=16,output.dense=4".
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "portatune/base/message.h"
#include "portatune/base/number.h"
#include "portatune/option_fields.h"

namespace portatune {

template <class Number>
struct OptionType<std::map<std::string, Number>> {
  static constexpr OptionKind kKind = OptionKind::kText;
  static constexpr double kHighest = 0;
  static std::vector<OptionChoice> choices() { return {}; }
  static std::string expected() { return "MODULE=NUMBER,... with numbers above 0 and each module once"; }
  static std::optional<std::map<std::string, Number>> read(const std::string& text) {
    std::map<std::string, Number> numbers;
    if (text.empty()) return numbers;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size()), equals = text.rfind('=', end);
      if (equals == std::string::npos || equals <= begin) return std::nullopt;
      const auto number = number_in<Number>(text.substr(equals + 1, end - equals - 1));
      const bool is_valid = number && *number > 0 && std::isfinite(static_cast<double>(*number));
      if (!is_valid || !numbers.emplace(text.substr(begin, equals - begin), *number).second) return std::nullopt;
      begin = end + 1;
    }
    return numbers;
  }
  static std::string text(const std::map<std::string, Number>& numbers) {
    std::string text;
    for (const auto& [module, number] : numbers) text += (text.empty() ? "" : ",") + module + "=" + to_text(number);
    return text;
  }
};

}  // namespace portatune
