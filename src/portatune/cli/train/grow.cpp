// portatune grow: makes a larger model from a trained smaller one.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/text/number.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/models/grow/grow_model.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::cli {
namespace {

nlohmann::ordered_json json_of(const std::vector<grow::StackSizes>& stacks) {
  nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
  for (const auto& [layers, width] : stacks) sizes.push_back({{"layers", layers}, {"intermediate_size", width}});
  return sizes;
}

std::string change(int64_t before, int64_t after) {
  if (before == after) return grouped(after);
  return fmt::format("{} -> {}", grouped(before), grouped(after));
}

std::string describe(const grow::Growth& growth) {
  std::string text;
  for (size_t i = 0; i < growth.before.size(); ++i) {
    const grow::StackSizes &before = growth.before[i], &after = growth.after[i];
    const char* stack = growth.before.size() == 1 ? "" : i == 0 ? "encoder: " : "decoder: ";
    text += fmt::format("{}{} layers of {} intermediate features; ", stack, change(before.layers, after.layers),
                        change(before.intermediate_size, after.intermediate_size));
  }
  return text + change(growth.parameters_before, growth.parameters) + " parameters";
}

}  // namespace

int execute(const GrowArguments& a) {
  catch_signals();  // so that no incomplete folder is left
  const grow::Growth growth = grow::grow_model(a.model, a.output, a.growth, {train::kSettingsFile});
  if (a.reporting.json) {
    print_result(line_of({{"model", a.output.string()},
                          {"before", json_of(growth.before)},
                          {"after", json_of(growth.after)},
                          {"parameters_before", growth.parameters_before},
                          {"parameters", growth.parameters}}));
    return kOk;
  }
  print_remark(a.reporting, fmt::format("{}: {}", a.output.string(), describe(growth)));
  print_remark(a.reporting,
               fmt::format("train it: portatune fit --model {} --train FILE --output DIR", a.output.string()));
  return kOk;
}

}  // namespace portatune::cli
