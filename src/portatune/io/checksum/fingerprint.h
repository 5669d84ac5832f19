// Whether a file is still the same, told at once however large it is.
#pragma once

#include <string>

namespace portatune::io {

/// 16 hex digits that depend on a file's size and on 16 pieces of 4 KB spread over it; of files up to 64 KB on all
/// bytes. A change between the pieces that leaves the size as it is goes unnoticed: see content_hash(). Of a remote
/// file that has an identity they depend on that in place of bytes.
/// errors  those of open_random_access()
std::string fingerprint(const std::string& path);

}  // namespace portatune::io
