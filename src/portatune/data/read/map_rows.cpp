#include "portatune/data/read/map_rows.h"

#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// The function of the run on this thread; null: none.
thread_local RowFunction current;

Example wanted(Example row, const std::vector<std::string>& columns) {
  if (columns.empty()) return row;
  Example result(row.origin());
  for (const std::string& column : columns) {
    if (row.has(column)) {
      result.set(column, row.column(column));
      continue;
    }
    std::vector<std::string> given;
    for (const Example::Entry& entry : row.columns()) given.push_back(entry.name);
    throw DataError({.where = to_string(row.origin()),
                     .given = given.empty() ? "a row without columns, made by the function of rows"
                                            : "a row with " + list_of(given) + ", made by the function of rows",
                     .expected = "a column '" + column + "'"});
  }
  return result;
}

}  // namespace

MappedRows::MappedRows(RowFunction function) : outer_(std::exchange(current, std::move(function))) {}
MappedRows::~MappedRows() { current = std::move(outer_); }

bool MappedRows::are_made() { return current != nullptr; }

Dataset map_rows(const Dataset& rows, std::vector<std::string> columns) {
  if (!current) return rows;
  return rows.named("read")
      .map([f = current, columns = std::move(columns)](Example row) { return wanted(f(std::move(row)), columns); })
      .named("map");
}

}  // namespace portatune::data
