// Binary data in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portatune::text {

/// Decodes base64 (RFC 4648, with padding); empty if the text is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace portatune::text
