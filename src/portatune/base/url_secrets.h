// URLs in messages, without what gives access.
#pragma once

#include <string>
#include <string_view>

namespace portatune {

/// The text with "..." in place of what gives access in the URLs in it: user names and passwords, and what stands in a
/// query under a name such as X-Amz-Signature, sig, token or key.
std::string without_secrets(std::string_view text);

}  // namespace portatune
