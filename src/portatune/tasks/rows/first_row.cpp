#include "portatune/tasks/rows/first_row.h"

#include <limits>
#include <memory>
#include <utility>

namespace portatune::tasks {

std::optional<data::Example> first_row(const std::vector<std::string>& files, data::TableOptions table) {
  table.columns.clear();
  table.single_values.clear();
  const auto unreadable = std::make_shared<data::BadRows>(std::numeric_limits<int64_t>::max());
  return data::read_table(files, std::move(table)).skip_bad_rows(unreadable).iterate().next();
}

}  // namespace portatune::tasks
