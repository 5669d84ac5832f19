// Examples as bytes, for files that this same program reads again.
#pragma once

#include <string>
#include <string_view>

#include "portatune/data.h"

namespace portatune::data {

/// Appends the bytes of an example, its origin and, of a batch, those of its rows included. Numbers are in the byte
/// order of the machine.
void append_bytes(std::string& bytes, const Example& example);

/// The example that append_bytes() wrote.
/// errors  DataError naming `where` for bytes that are none
Example example_of_bytes(std::string_view bytes, const std::string& where);

}  // namespace portatune::data
