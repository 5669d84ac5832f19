#include "portatune/python/row_map.h"

#include <nanobind/stl/string.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "portatune/base/text/utf8.h"
#include "portatune/python/arrays.h"
#include "portatune/python/errors.h"
#include "portatune/python/shared_object.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

nb::object text_or_bytes(const std::string& bytes) {
  if (find_invalid_utf8(bytes) == std::string_view::npos) return nb::cast(bytes);
  return nb::bytes(bytes.data(), bytes.size());
}

nb::object as_python(const data::Column& column) {
  if (const auto* text = std::get_if<std::string>(&column)) return text_or_bytes(*text);
  if (const auto* array = std::get_if<Tensor>(&column)) return to_numpy(*array);
  nb::list texts;
  for (const std::string& text : std::get<std::vector<std::string>>(column)) texts.append(text_or_bytes(text));
  return texts;
}

nb::dict as_python(const data::Example& row) {
  nb::dict columns;
  for (const data::Example::Entry& entry : row.columns()) columns[nb::cast(entry.name)] = as_python(entry.value);
  return columns;
}

data::Example row_of(const nb::dict& columns, const data::Origin& origin) {
  data::Example row(origin);
  for (const auto& [name, value] : columns) {
    const bool is_bytes = nb::isinstance<nb::bytes>(value);
    row.set(nb::cast<std::string>(name), is_bytes ? std::string(nb::borrow<nb::bytes>(value).c_str(), nb::len(value))
                                                  : nb::cast<std::string>(value));
  }
  return row;
}

// "KeyError: 'text'"
std::string description_of(const nb::python_error& error) {
  const auto name = nb::cast<std::string>(error.type().attr("__name__"));
  const auto text = nb::cast<std::string>(nb::str(error.value()));
  return text.empty() ? name : name + ": " + text;
}

}  // namespace

struct RowMap::State {
  SharedObject function;
  std::mutex calls;  // guards `caller`, also during a call
  CallingThread* caller = nullptr;

  data::Example call(const data::Example& row) {
    data::Example mapped;
    const std::function<void()> call = [&] {
      try {
        mapped = row_of(nb::cast<nb::dict>((*function)(as_python(row))), row.origin());
      } catch (const nb::python_error& error) {
        if (error.matches(PyExc_KeyboardInterrupt)) throw;
        throw FunctionError({.where = to_string(row.origin()),
                             .given = description_of(error) + ", raised by map()",
                             .expected = "a dict of the columns of the row"},
                            shared(nb::borrow(error.value())));
      }
    };
    const std::lock_guard lock(calls);
    if (caller != nullptr) {
      caller->call(call);
    } else {
      const nb::gil_scoped_acquire locked;
      call();
    }
    return mapped;
  }
};

RowMap::RowMap(nb::object function) {
  if (function.is_none()) return;
  state_ = std::make_shared<State>();
  state_->function = shared(std::move(function));
}

data::RowFunction RowMap::function() const {
  if (!state_) return {};
  return [state = state_](const data::Example& row) { return state->call(row); };
}

void RowMap::set_caller(CallingThread* caller) const {
  if (!state_) return;
  const std::lock_guard lock(state_->calls);
  state_->caller = caller;
}

RowMap::Calls::Calls(const RowMap& map, CallingThread& caller) : map_(map), rows_(map.function()) {
  map_.set_caller(&caller);
}
RowMap::Calls::~Calls() { map_.set_caller(nullptr); }

}  // namespace portatune::python
