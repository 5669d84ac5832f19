// Binary data in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portatune::text {

/// The bytes that base64 stands for (RFC 4648, with padding), or empty if it is not that.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace portatune::text
