// A quick hash that detects most changes of a file of any size.
#pragma once

#include <string>

namespace portatune::io {

/// A hash of a file's size and of 16 pieces of 4 KB spread over it, as 16 hex digits; it covers files up to 64 KB
/// completely. It misses a change between the pieces that keeps the size: see content_hash(). For a remote file with an
/// identity it covers the identity in place of bytes.
/// errors  as open_random_access()
std::string fingerprint(const std::string& path);

}  // namespace portatune::io
