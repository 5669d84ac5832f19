#include "portatune/nn/name_pattern.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <ranges>
#include <vector>

namespace portatune::nn {
namespace {

std::vector<std::string_view> modules_of(std::string_view name) {
  std::vector<std::string_view> modules;
  for (const auto module : std::views::split(name, '.')) modules.emplace_back(module.begin(), module.end());
  return modules;
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool matches_module(std::string_view module, std::string_view pattern) {
  if (module == pattern) return true;
  const size_t dash = pattern.find('-');
  if (dash == std::string_view::npos) return false;
  const auto index = number(module), first = number(pattern.substr(0, dash)), last = number(pattern.substr(dash + 1));
  return index && first && last && *first <= *index && *index <= *last;
}

}  // namespace

bool matches(std::string_view name, std::string_view pattern) {
  const std::vector<std::string_view> modules = modules_of(name), wanted = modules_of(pattern);
  return !std::ranges::search(modules, wanted, matches_module).empty();
}

bool matches(const Parameter& parameter, std::string_view pattern) {
  const auto is_match = [&](const std::string& name) { return matches(name, pattern); };
  return is_match(parameter.name) || std::ranges::any_of(parameter.aliases, is_match);
}

}  // namespace portatune::nn
