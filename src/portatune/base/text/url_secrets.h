// Removal of credentials from URLs in messages.
#pragma once

#include <string>
#include <string_view>

namespace portatune {

/// The text with "..." in place of the credentials in its URLs: user names, passwords, and query values under names
/// such as X-Amz-Signature, sig, token or key.
std::string without_secrets(std::string_view text);

}  // namespace portatune
