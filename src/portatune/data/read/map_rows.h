// A function of rows that applies to all files of a run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

using RowFunction = std::function<Example(Example row)>;

/// While an object lives, the readers of sources.h change each row by a function, in the datasets that this thread
/// makes: those of tables, CoNLL and SQuAD files, and folders of images and audio. The function gets all columns of the
/// files, and makes those that are read. The last object decides.
class MappedRows {
 public:
  /// function  called by one thread at a time; null: rows stay as they are
  explicit MappedRows(RowFunction function);
  ~MappedRows();
  MappedRows(const MappedRows&) = delete;
  MappedRows& operator=(const MappedRows&) = delete;

  /// Whether rows are changed on this thread.
  static bool are_made();

 private:
  RowFunction outer_;
};

/// The rows as the function of MappedRows makes them, with the wanted columns in their order; the same rows if there is
/// no function.
/// columns  empty: all
/// errors   DataError, when the row is reached, for a result without one of these columns
Dataset map_rows(const Dataset& rows, std::vector<std::string> columns);

}  // namespace portatune::data
