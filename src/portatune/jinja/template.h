// A chat template: Jinja, as transformers runs it.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/jinja/parser.h"
#include "portatune/jinja/renderer.h"

namespace portatune::jinja {

struct Rendered {
  std::string text;
  std::vector<Span> generations;  ///< what {% generation %} blocks have written
};

/// The part of Jinja that chat templates use: its statements but for inheritance, import and call blocks, its
/// operators, most of its filters and tests, and Python's methods of str, list and dict that change nothing. Blanks are
/// treated as with trim_blocks and lstrip_blocks, nothing is escaped. Immutable, hence safe to share between threads.
class Template {
 public:
  /// where   what to call the template in errors
  /// errors  those of parse()
  Template(std::string_view source, std::string where);

  /// variables  a dict
  /// now        what strftime_now tells
  /// errors     DataError for what the template refuses (raise_exception) or does not take; CheckpointError for a
  ///            construct that is not known here. Both name the line.
  Rendered render(const Value& variables, const std::tm& now) const;

  /// Whether it has a {% generation %} block.
  bool marks_generations() const { return source_.has_generation; }

 private:
  std::string where_;
  ParsedTemplate source_;
};

}  // namespace portatune::jinja
