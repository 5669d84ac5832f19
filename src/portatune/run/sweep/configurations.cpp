#include "portatune/run/sweep/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "portatune/base/random.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"

namespace portatune::run {
namespace {

using Settings = std::vector<TrialSetting>;

constexpr size_t kMaxConfigurations = 10'000;

[[noreturn]] void refuse_grid(const std::string& given, const std::string& expected) {
  throw UsageError({.where = "--grid", .given = given, .expected = expected});
}

std::optional<SweptRange> range_in(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string low = text.substr(0, dots), high = text.substr(dots + 2);
  const auto from = number_in<double>(low), to = number_in<double>(high);
  if (!from || !to) return std::nullopt;  // a path such as ../rows.csv
  if (!(*from < *to) || *from < 0 || !std::isfinite(*to)) {
    refuse_grid(text, "LOW..HIGH, two numbers from 0 on, the smaller one first");
  }
  return SweptRange{*from, *to, number_in<int64_t>(low) && number_in<int64_t>(high)};
}

// The value at a part of the range, from 0 to 1: on a logarithmic scale, unless the range begins with 0.
std::string value_at(const SweptRange& range, double part) {
  const double value = range.low > 0 ? range.low * std::pow(range.high / range.low, part) : range.high * part;
  return range.is_whole ? fmt::format("{}", std::llround(value)) : fmt::format("{:.3g}", value);
}

Settings random_configuration(const std::vector<SweptOption>& options, uint64_t seed, uint64_t draw) {
  Settings settings;
  for (const SweptOption& option : options) {
    const double part = fraction(split_mix_64(seed, draw * options.size() + settings.size()));
    const auto index = static_cast<size_t>(part * static_cast<double>(option.values.size()));
    settings.emplace_back(option.name, option.range ? value_at(*option.range, part) : option.values[index]);
  }
  return settings;
}

}  // namespace

SweptOption swept_option(const std::string& name, const std::string& text) {
  SweptOption option{.name = name, .text = text, .values = {}, .range = range_in(text)};
  if (!option.range) option.values = split(text, ',');
  return option;
}

std::vector<Settings> all_configurations(const std::vector<SweptOption>& options) {
  std::vector<Settings> all = {{}};
  for (const SweptOption& option : options) {
    if (option.range) {
      refuse_grid(option.name + "=" + option.text, "a list of values, or --random N with a range");
    }
    std::vector<Settings> longer;
    for (const Settings& settings : all) {
      for (const std::string& value : option.values) {
        longer.push_back(settings);
        longer.back().emplace_back(option.name, value);
      }
    }
    if (longer.size() > kMaxConfigurations) {
      refuse_grid(fmt::format("{} combinations", longer.size()), "fewer, or --random N");
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Settings> random_configurations(const std::vector<SweptOption>& options, int64_t count, uint64_t seed) {
  const auto wanted = static_cast<size_t>(count);
  std::vector<Settings> drawn;
  for (uint64_t draw = 0; draw < 100 * wanted && drawn.size() < wanted; ++draw) {
    Settings settings = random_configuration(options, seed, draw);
    if (std::ranges::find(drawn, settings) == drawn.end()) drawn.push_back(std::move(settings));
  }
  if (drawn.size() == wanted) return drawn;
  throw UsageError({.where = "--random",
                    .given = std::to_string(wanted),
                    .expected = fmt::format("at most {}, as --grid has no more configurations", drawn.size())});
}

}  // namespace portatune::run
