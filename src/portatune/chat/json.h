// JSON from rows and command lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace portatune::chat {

/// Parses JSON.
/// what      the subject of errors: "a conversation"
/// expected  description of a valid text
/// errors    DataError if the text is not JSON, or has more than 64 levels
nlohmann::ordered_json parse_json(std::string_view text, const char* what, const char* expected);

}  // namespace portatune::chat
