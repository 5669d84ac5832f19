#include "portatune/python/errors.h"

#include <nanobind/nanobind.h>

#include <system_error>

#include "portatune/base/text/plain_text.h"
#include "portatune/error.h"
#include "portatune/run/output/output_error.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

template <class Kind>
bool is(const Error& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

const char* class_of(const Error& error) {
  if (is<ShapeError>(error)) return "ShapeError";
  if (is<DataError>(error)) return "DataError";
  if (is<CheckpointError>(error)) return "CheckpointError";
  if (is<DeviceError>(error)) return "DeviceError";
  if (is<UsageError>(error)) return "UsageError";
  if (is<NotFoundError>(error)) return "NotFoundError";
  if (is<IoError>(error) || is<run::OutputError>(error)) return "IoError";
  if (is<NumericError>(error)) return "NumericError";
  return "Error";
}

// Texts of files may have bytes that are not UTF-8.
nb::str text(const std::string& bytes) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(bytes.data(), std::ssize(bytes), "replace"));
}

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("portatune._errors").attr(class_of(error));
  const Report& report = error.report();
  nb::object exception =
      type(text(error.what()), text(report.where), text(report.given), text(report.expected), text(report.fix));
  if (const auto* io = dynamic_cast<const IoError*>(&error)) exception.attr("errno") = io->error_number();
  if (const auto* function = dynamic_cast<const FunctionError*>(&error)) {
    exception.attr("__cause__") = *function->cause;
  }
  PyErr_SetObject(type.ptr(), exception.ptr());
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    raise(error);
  } catch (const Stopped&) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "stopped");
  } catch (const std::system_error& error) {
    PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code().value(), text(printable(error.what()))).ptr());
  }
}

}  // namespace

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace portatune::python
