#include "portatune/data/column_names.h"

#include <utility>
#include <vector>

#include "portatune/base/message.h"
#include "portatune/base/nearest.h"

namespace portatune::data {
namespace {

std::string quoted_list(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names) quoted.push_back(in_quotes(name));
  return list_of(quoted);
}

std::string proposal(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string meant = nearest(wanted, std::vector<std::string>(names.begin(), names.end()));
  return meant.empty() ? "" : "did you mean '" + meant + "'?";
}

}  // namespace

DataError missing_column(std::string where, std::string_view wanted, std::span<const std::string_view> names) {
  return DataError({.where = std::move(where),
                    .given = names.empty() ? "no columns" : "columns " + quoted_list(names),
                    .expected = "a column '" + std::string(wanted) + "'",
                    .fix = proposal(wanted, names)});
}

}  // namespace portatune::data
