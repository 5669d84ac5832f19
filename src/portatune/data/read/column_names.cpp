#include "portatune/data/read/column_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "portatune/base/text/message.h"

namespace portatune::data {
namespace {

// Command-line options for the columns that are specific to a task.
struct OptionOfColumn {
  std::string_view column, option;
};
constexpr OptionOfColumn kOptions[] = {{"text", "--text-column"},     {"label", "--label-column"},
                                       {"tokens", "--tokens-column"}, {"tags", "--tags-column"},
                                       {"sent1", "--context-column"}, {"image", "--image-column"}};

// Columns of instruction data, with the options of causal language models that name them.
struct InstructionColumns {
  std::string_view first, second, options;
};
constexpr InstructionColumns kInstructions[] = {
    {"messages", "messages", "--messages-column messages"},
    {"prompt", "completion", "--prompt-column prompt --completion-column completion"},
    {"instruction", "output", "--prompt-column instruction --completion-column output"}};

std::string instruction_advice(std::string_view wanted, std::span<const std::string_view> names) {
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  const auto found = std::ranges::find_if(
      kInstructions, [&](const InstructionColumns& c) { return wanted == "text" && has(c.first) && has(c.second); });
  return found == std::end(kInstructions) ? "" : "with --task causal-lm: " + std::string(found->options);
}

std::string quoted_list(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names) quoted.push_back(in_quotes(name));
  return list_of(quoted);
}

std::string proposal(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string meant = nearest(wanted, std::vector<std::string>(names.begin(), names.end()));
  return meant.empty() ? "" : suggestion("'" + meant + "'");
}

}  // namespace

DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names,
                         const std::string& advice) {
  std::string fix = instruction_advice(wanted, names);
  if (fix.empty()) fix = proposal(wanted, names);
  return DataError({.where = std::move(where),
                    .given = names.empty() ? "no columns" : "columns " + quoted_list(names),
                    .expected = "a column '" + std::string(wanted) + "'",
                    .fix = fix.empty() ? advice : fix});
}

std::string naming_advice(std::string_view wanted) {
  const auto option = std::ranges::find(kOptions, wanted, &OptionOfColumn::column);
  const std::string named = option == std::end(kOptions) ? "" : std::string(option->option) + " NAME, or ";
  return "if it has another name: " + named + "--rename-columns NAME=" + std::string(wanted);
}

}  // namespace portatune::data
