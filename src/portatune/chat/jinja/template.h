// A chat template (Jinja as in transformers), and its variables.
#pragma once

#include <ctime>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/chat/jinja/parser.h"
#include "portatune/chat/jinja/renderer.h"
#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

struct Rendered {
  std::string text;
  std::vector<Span> generations;  ///< the output of {% generation %} blocks
};

/// A template in the part of Jinja that chat templates use: its statements except inheritance, import and call blocks,
/// its operators, most of its filters and tests, and the methods of Python's str, list and dict that change nothing.
/// Whitespace is treated as with trim_blocks and lstrip_blocks; nothing is escaped. A template is immutable, so threads
/// may share it.
class Template {
 public:
  /// Parses a template.
  /// where   name of the template in errors
  /// errors  those of parse()
  Template(std::string_view source, std::string where);

  /// Runs the template.
  /// variables  a dict
  /// now        the time for strftime_now
  /// errors     DataError for variables that the template refuses (raise_exception) or does not accept; CheckpointError
  ///            for an unsupported construct. Both name the line.
  Rendered render(const Value& variables, const std::tm& now) const;

  /// True if the template has a {% generation %} block.
  bool marks_generations() const { return source_.has_generation; }

 private:
  std::string where_;
  ParsedTemplate source_;
};

/// Converts JSON. Keys keep their order; integers beyond 64 bits become floats.
Value from_json(const nlohmann::ordered_json& json);

}  // namespace portatune::jinja
