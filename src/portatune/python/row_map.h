// A function of Python that changes rows.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "portatune/data/read/map_rows.h"
#include "portatune/python/calling_thread.h"

namespace portatune::python {

/// A function of Python for rows of files, for runs of the module. It gets a dict of the columns of a row, and returns
/// a dict of texts or bytes. Its exceptions become DataErrors that name the row and have the exception as their cause.
class RowMap {
 public:
  /// function  None: there is none
  explicit RowMap(nanobind::object function);

  /// While an object lives, datasets that its thread makes of files have rows that the function makes, and the thread
  /// of `caller` calls it. At other times, as when a loop of Python takes batches that threads prepare, the thread that
  /// needs a row calls it.
  class Calls {
   public:
    /// Both must outlive this object.
    Calls(const RowMap& map, CallingThread& caller);
    ~Calls();
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

   private:
    const RowMap& map_;
    const data::MappedRows rows_;
  };

 private:
  struct State;
  void set_caller(CallingThread* caller) const;
  data::RowFunction function() const;  // null if there is none

  std::shared_ptr<State> state_;  // shared with the datasets that call the function; null: there is none
};

}  // namespace portatune::python
