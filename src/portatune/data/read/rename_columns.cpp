#include "portatune/data/read/rename_columns.h"

#include "portatune/error.h"

namespace portatune::data {
namespace {

Example renamed(Example row, const std::map<std::string, std::string>& rename) {
  for (const auto& [name, ignored] : rename) row.column(name);  // DataError if it is missing
  Example result(row.origin());
  for (const Example::Entry& entry : row.columns()) {
    const auto found = rename.find(entry.name);
    const std::string& name = found == rename.end() ? entry.name : found->second;
    if (result.has(name)) {
      throw DataError({.where = to_string(row.origin()),
                       .given = "two columns '" + name + "', one of them renamed",
                       .expected = "different names"});
    }
    result.set(name, entry.value);
  }
  return result;
}

}  // namespace

Dataset rename_columns(const Dataset& rows, std::map<std::string, std::string> rename) {
  return rows.map([rename = std::move(rename)](Example row) { return renamed(std::move(row), rename); });
}

}  // namespace portatune::data
