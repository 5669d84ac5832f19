// What goes wrong while a template runs. Template::render() makes errors of it that name file and line.
#pragma once

#include <string>

namespace portatune::jinja {

/// A conversation that the template does not take, or a mistake in the template: what the reference would refuse too.
struct Fault {
  std::string given, expected;
};

/// A construct that this interpreter lacks.
struct Unsupported {
  std::string what;
};

}  // namespace portatune::jinja
