// Integer lists in the packed form of protocol buffers: 7 bits per byte, low bits first; a byte below 128 ends a
// number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace portatune::io {

/// Number of integers in a packed list.
/// errors  UsageError if the last integer has no end
int64_t count_packed(std::string_view numbers);

/// Unpacks integers that count_packed() has counted. `out` has room for at least as many.
/// returns  the number of integers
/// errors   UsageError for an integer of more than 64 bits, or one that `out` cannot hold
size_t unpack(std::string_view numbers, std::span<int64_t> out);
size_t unpack(std::string_view numbers, std::span<int32_t> out);

}  // namespace portatune::io
