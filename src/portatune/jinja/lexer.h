// A template's source as tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune::jinja {

struct Token {
  enum class Kind {
    kData,  ///< text outside of all tags, with the blanks taken away that the tags ask for
    kVariableBegin,
    kVariableEnd,
    kBlockBegin,
    kBlockEnd,
    kName,
    kText,  ///< a string literal, its escapes resolved
    kInteger,
    kReal,
    kOperator,
    kEnd
  };
  Kind kind;
  std::string text;
  int line;
};

/// As Jinja with trim_blocks and lstrip_blocks: the line feed behind a block or a comment is dropped, and so are blanks
/// between it and the start of its line. Comments and raw blocks are resolved; the last token is kEnd.
/// where   what to call the template in errors
/// errors  CheckpointError, with the line, for a tag, a comment or a string without an end, and a character that no
///         token has
std::vector<Token> tokens_of(std::string_view source, const std::string& where);

}  // namespace portatune::jinja
