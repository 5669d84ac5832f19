// Bad rows that are skipped, and their maximal number.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace portatune::data {

/// A skipped row.
struct BadRow {
  std::string where;   ///< file and line or record: "train.csv:17"
  std::string reason;  ///< on one line: "3 fields, expected 2 fields, as on line 1"
};

/// The bad rows that were skipped, and the maximal number of them: see Dataset::skip_bad_rows(). A row that is read
/// again, such as in the next epoch, counts once. Thread-safe.
class BadRows {
 public:
  /// limit    maximal number of skipped rows; one more is an error
  /// on_skip  called once for each row, when it is skipped; one call at a time
  explicit BadRows(int64_t limit, std::function<void(const BadRow&)> on_skip = {});

  int64_t limit() const { return limit_; }
  /// The rows skipped so far, in the order in which they were read.
  std::vector<BadRow> rows() const;
  int64_t count() const;

 private:
  friend struct BadRowsAccess;  // for stages

  /// Adds a row that an earlier run skipped and reported.
  void add_known(BadRow row);
  /// Skips a row; throws DataError that names it if there are too many.
  /// is_identified  whether `where` identifies the row, so that it is recognised when it is read again
  void skip(BadRow row, bool is_identified = true);

  const int64_t limit_;
  const std::function<void(const BadRow&)> on_skip_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<BadRow> rows_;
  std::set<std::string> known_;
};

}  // namespace portatune::data
