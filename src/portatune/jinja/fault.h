// Failures while a template runs. Template::render() turns them into errors that name file and line.
#pragma once

#include <string>

namespace portatune::jinja {

/// A conversation that the template does not accept, or a mistake in the template. The reference refuses it, too.
struct Fault {
  std::string given, expected;
};

/// A construct that this interpreter lacks.
struct Unsupported {
  std::string what;
};

}  // namespace portatune::jinja
