#include "portatune/run/predictions/numbered_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "portatune/base/text/utf8.h"
#include "portatune/error.h"
#include "portatune/tasks/rows/row_json.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const data::Example& row, const std::string& column) {
  if (std::holds_alternative<Tensor>(row.column(column))) return tasks::json_in(row, column);
  const std::string& text = row.text(column);
  if (find_invalid_utf8(text) == std::string_view::npos) return text;
  throw DataError({.where = to_string(row.origin()),
                   .given = "bytes that are not UTF-8 in column \"" + column + "\"",
                   .expected = "a text, as --keep-columns copies it"});
}

bool is_same(const data::Origin& a, const data::Origin& b) { return a.row == b.row && to_string(a) == to_string(b); }

}  // namespace

NumberedRows::NumberedRows(const data::Dataset& rows, std::vector<std::string> keep,
                           std::shared_ptr<const data::BadRows> bad_rows)
    : keep_(std::move(keep)), bad_rows_(std::move(bad_rows)) {
  if (keep_.empty() && !bad_rows_) return;
  const auto note = [this](const data::BadRow& row) { unreadable_.push_back(row.reason); };
  const auto unreadable = std::make_shared<data::BadRows>(std::numeric_limits<int64_t>::max(), note);
  cursor_.emplace(rows.skip_bad_rows(unreadable).iterate());
}

std::vector<NumberedRow> NumberedRows::until(const data::Origin& origin) {
  if (!cursor_) return {{.number = next_number_++}};
  std::vector<NumberedRow> rows;
  while (const auto row = next(rows)) {
    const bool is_predicted = is_same(row->origin(), origin);
    rows.push_back(numbered(*row, is_predicted ? "" : reason_for(row->origin())));
    if (is_predicted) return rows;
  }
  throw DataError({.where = to_string(origin),
                   .given = "other rows when the file is read a second time",
                   .expected = "a file that does not change while it is read"});
}

std::vector<NumberedRow> NumberedRows::rest() {
  std::vector<NumberedRow> rows;
  if (!cursor_) return rows;
  while (const auto row = next(rows)) rows.push_back(numbered(*row, reason_for(row->origin())));
  return rows;
}

std::optional<data::Example> NumberedRows::next(std::vector<NumberedRow>& unreadable_before) {
  std::optional<data::Example> row = cursor_->next();
  for (; !unreadable_.empty(); unreadable_.pop_front()) {
    unreadable_before.push_back({.number = next_number_++, .skipped = unreadable_.front()});
  }
  return row;
}

NumberedRow NumberedRows::numbered(const data::Example& row, std::string skipped) {
  NumberedRow result = {.number = next_number_++, .skipped = std::move(skipped)};
  for (const std::string& column : keep_) result.kept[column] = value_of(row, column);
  return result;
}

std::string NumberedRows::reason_for(const data::Origin& origin) const {
  const std::vector<data::BadRow> rows = bad_rows_ ? bad_rows_->rows() : std::vector<data::BadRow>();
  const auto found = std::ranges::find(rows, to_string(origin), &data::BadRow::where);
  return found == rows.end() ? "not predicted" : found->reason;
}

}  // namespace portatune::run
