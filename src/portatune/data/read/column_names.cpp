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
  const std::string similar = proposal(wanted, names);
  return DataError({.where = std::move(where),
                    .given = names.empty() ? "no columns" : "columns " + quoted_list(names),
                    .expected = "a column '" + std::string(wanted) + "'",
                    .fix = similar.empty() ? advice : similar});
}

std::string naming_advice(std::string_view wanted) {
  const auto option = std::ranges::find(kOptions, wanted, &OptionOfColumn::column);
  const std::string named = option == std::end(kOptions) ? "" : std::string(option->option) + " NAME, or ";
  return "if it has another name: " + named + "--rename-columns NAME=" + std::string(wanted);
}

}  // namespace portatune::data
