// Splits a template's source into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune::jinja {

struct Token {
  enum class Kind {
    kData,  ///< text outside of all tags, without the whitespace that tags remove
    kVariableBegin,
    kVariableEnd,
    kBlockBegin,
    kBlockEnd,
    kName,
    kText,  ///< a string literal with its escapes resolved
    kInteger,
    kReal,
    kOperator,
    kEnd
  };
  Kind kind;
  std::string text;
  int line;
};

/// The tokens of a source, as in Jinja with trim_blocks and lstrip_blocks: the line feed after a block or a comment is
/// dropped, and so is whitespace between the start of a line and a block or a comment. Comments and raw blocks are
/// resolved; the last token is kEnd.
/// where   name of the template in errors
/// errors  CheckpointError, with the line, for a tag, a comment or a string without an end, and for a character outside
///         of Jinja's syntax
std::vector<Token> tokens_of(std::string_view source, const std::string& where);

}  // namespace portatune::jinja
