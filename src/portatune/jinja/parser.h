// From tokens to a tree, by Jinja's grammar.
#pragma once

#include <string>
#include <string_view>

#include "portatune/jinja/syntax.h"

namespace portatune::jinja {

struct ParsedTemplate {
  Body body;
  bool has_generation = false;  ///< whether there is a {% generation %} block
};

/// where   what to call the template in errors
/// errors  CheckpointError, with the line, for what is no Jinja, for a statement that chat templates do not need, and
///         for a template of more than 1 MB or of more than 100 levels
ParsedTemplate parse(std::string_view source, const std::string& where);

}  // namespace portatune::jinja
