// Serialisation of examples, for files that the same program reads.
#pragma once

#include <string>
#include <string_view>

#include "portatune/data.h"

namespace portatune::data {

/// Appends the bytes of an example, including its origin and, for a batch, those of its rows. Numbers are in the byte
/// order of the machine.
/// errors  UsageError for a batch with local rows
void append_bytes(std::string& bytes, const Example& example);

/// The example that append_bytes() wrote.
/// errors  DataError naming `where` for bytes that are not an example
Example example_of_bytes(std::string_view bytes, const std::string& where);

}  // namespace portatune::data
