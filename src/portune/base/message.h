// How values are shown in messages.
#pragma once

#include <string>

namespace portune {

/// The fewest digits that give this number again: "0.1", "3e-05", "nan".
std::string to_text(double value);

}  // namespace portune
