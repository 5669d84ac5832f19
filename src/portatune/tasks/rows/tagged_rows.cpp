// Reading of tagged sentences and of their tags.
#include <algorithm>
#include <set>

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/sources.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/tasks/token_classification.h"

namespace portatune {
namespace {

constexpr size_t kMaxTags = 1000;

}  // namespace

data::Dataset read_tagged(const std::vector<std::string>& files, const std::string& tokens_column,
                          const std::string& tags_column, data::TableOptions table) {
  const auto is_conll = [&](const std::string& file) {
    const std::string extension = data::kind_extension(file, table);
    return extension == ".conll" || extension == ".txt";
  };
  if (!files.empty() && std::ranges::all_of(data::table_files(files), is_conll)) {
    return data::read_conll(files, {.tokens_column = tokens_column, .tags_column = tags_column});
  }
  table.columns = {tokens_column};
  if (!tags_column.empty()) table.columns.push_back(tags_column);
  return data::read_table(files, std::move(table));
}

std::vector<std::string> tags_of(const data::Dataset& rows, const std::string& column) {
  std::set<std::string> tags;
  int64_t largest = -1;  // largest number among the tags
  bool numbers_only = true;
  for (const data::Example& row : rows.iterate()) {
    for (const std::string& tag : tasks::texts_in(row, column)) {
      const std::optional<int64_t> number = number_in<int64_t>(tag);
      if (number && *number < 0) throw tasks::bad_column(row, column, "names of tags, or ids that are not negative");
      numbers_only = numbers_only && number.has_value();
      largest = std::max(largest, number.value_or(-1));
      tags.insert(tag);
    }
    if (tags.size() > kMaxTags || largest >= static_cast<int64_t>(kMaxTags)) {
      throw tasks::bad_column(row, column, "at most " + std::to_string(kMaxTags) + " different tags, or ids below it");
    }
  }
  if (!numbers_only) return {tags.begin(), tags.end()};
  std::vector<std::string> numbers;
  for (int64_t i = 0; i <= largest; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

}  // namespace portatune
