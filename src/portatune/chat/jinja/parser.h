// Parses tokens into a tree by Jinja's grammar.
#pragma once

#include <string>
#include <string_view>

#include "portatune/chat/jinja/syntax.h"

namespace portatune::jinja {

struct ParsedTemplate {
  Body body;
  bool has_generation = false;  ///< the template has a {% generation %} block
};

/// Parses a template.
/// where   name of the template in errors
/// errors  CheckpointError, with the line, for invalid Jinja, for a statement that chat templates do not need, and for
///         a template of more than 1 MB or of more than 100 levels
ParsedTemplate parse(std::string_view source, const std::string& where);

}  // namespace portatune::jinja
