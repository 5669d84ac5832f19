// The predicted rows: their numbers, and the columns that predictions repeat.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/sources.h"

namespace portatune::run {

struct NumberedRow {
  int64_t number = 0;  ///< index of the row, counted from 0 over all files, bad rows included
  /// The kept columns by name; empty for a row that cannot be read.
  nlohmann::ordered_json kept = nlohmann::ordered_json::object();
  std::string skipped;  ///< reason why the row has no prediction; empty: it has one
};

/// Reads the rows a second time, beside the prediction, where more than their numbers is needed. Tasks therefore need
/// not carry the columns, and skipped rows get their positions.
class NumberedRows {
 public:
  /// rows      the rows as the prediction reads them
  /// keep      the columns to repeat
  /// bad_rows  the rows that the prediction skips; null: none
  NumberedRows(const data::Dataset& rows, std::vector<std::string> keep, std::shared_ptr<const data::BadRows> bad_rows);
  NumberedRows(const NumberedRows&) = delete;
  NumberedRows& operator=(const NumberedRows&) = delete;

  /// The next predicted row, after the skipped rows before it. Origins come in the order of the rows.
  /// errors  DataError for a column that is not text, or that is missing in rows
  std::vector<NumberedRow> until(const data::Origin& origin);
  /// The skipped rows after the last predicted one.
  std::vector<NumberedRow> rest();

 private:
  std::optional<data::Example> next(std::vector<NumberedRow>& unreadable_before);
  NumberedRow numbered(const data::Example& row, std::string skipped);
  std::string reason_for(const data::Origin& origin) const;

  const std::vector<std::string> keep_;
  const std::shared_ptr<const data::BadRows> bad_rows_;
  std::deque<std::string> unreadable_;  // reasons of the rows that the reader has skipped since the last one
  std::optional<data::Cursor> cursor_;  // nullopt: only numbers are needed
  int64_t next_number_ = 0;
};

}  // namespace portatune::run
