// Lists of integers as protocol buffers pack them: 7 bits a byte, the low ones first; a byte below 128 ends a number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace portatune::io {

/// errors  UsageError if the last number has no end
int64_t count_packed(std::string_view numbers);

/// Unpacks numbers that count_packed() has counted; `out` has room for them, at least.
/// returns  how many they are
/// errors   UsageError for a number of more than 64 bits, or one that `out` cannot hold
size_t unpack(std::string_view numbers, std::span<int64_t> out);
size_t unpack(std::string_view numbers, std::span<int32_t> out);

}  // namespace portatune::io
