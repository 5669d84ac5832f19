// Text of values in messages, and the known name that is nearest to an unknown one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// The shortest text from which the same number is read: "0.1", "3e-05", "nan".
std::string to_text(double value);

/// A count with its noun: "1 row", "2 rows".
std::string counted(int64_t count, std::string_view what);

/// A number as 16 hex digits.
std::string hexadecimal(uint64_t bits);
/// Bytes as two hex digits each.
std::string hexadecimal(std::span<const unsigned char> bytes);
/// A byte as hex: "0x0a".
std::string hexadecimal_byte(char byte);

/// A text of any length in quotes: 'label'. A text of more than `max_bytes` is cut between two characters and followed
/// by "...".
std::string in_quotes(std::string_view text, size_t max_bytes = 200);
/// Same as in_quotes(), without the quotes.
std::string shortened(std::string_view text, size_t max_bytes = 200);

/// A list of names: "a, b, c". After the first `max` names only the count follows: "and 5 more".
std::string list_of(std::span<const std::string> names, size_t max = 20);

/// The name with the fewest edits (insert, delete, replace, or swap of neighbours) from `typed`. The edits number at
/// most a quarter of its length; one edit is always allowed. Hyphens, underscores and letter case do not count. Returns
/// an empty string if no name is near enough.
std::string nearest(std::string_view typed, const std::vector<std::string>& names);
/// The fix in the error about an unknown name: "did you mean NAME?"; empty if `name` is.
std::string suggestion(const std::string& name);

}  // namespace portatune
