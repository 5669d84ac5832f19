// Rows that are not what they should be, and how many of them are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace portatune::data {

/// A row that was passed over.
struct BadRow {
  std::string where;   ///< file and line or record: "train.csv:17"
  std::string reason;  ///< on one line: "3 fields, expected 2 fields, as on line 1"
};

/// How many bad rows may be passed over, and which these were: see Dataset::skip_bad_rows(). A row that is met again,
/// in the next epoch say, counts once. May be used by several threads at a time.
class BadRows {
 public:
  /// limit  rows to pass over; one more is an error
  /// tell   called once with each row, when it is passed over; one call at a time
  explicit BadRows(int64_t limit, std::function<void(const BadRow&)> tell = {});

  int64_t limit() const { return limit_; }
  /// Those passed over so far, in the order in which they were met.
  std::vector<BadRow> rows() const;
  int64_t count() const;

 private:
  friend struct BadRowsAccess;  // for stages

  /// A row that an earlier run has passed over and told of.
  void add_known(BadRow row);
  /// Passes over a row, or throws DataError that tells of it if there are too many.
  /// known  whether `where` names the row, so that it can be known again
  void pass_over(BadRow row, bool known = true);

  const int64_t limit_;
  const std::function<void(const BadRow&)> tell_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<BadRow> rows_;
  std::set<std::string> known_;
};

}  // namespace portatune::data
