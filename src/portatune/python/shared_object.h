// Objects of Python that threads without the interpreter's lock may copy and release.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace portatune::python {

using SharedObject = std::shared_ptr<const nanobind::object>;

/// Shares an object; call it with the interpreter's lock.
inline SharedObject shared(nanobind::object object) {
  return {std::make_unique<nanobind::object>(std::move(object)).release(), [](const nanobind::object* one) {
            const nanobind::gil_scoped_acquire locked;
            delete one;
          }};
}

}  // namespace portatune::python
