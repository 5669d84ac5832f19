// Errors on one line, for lists of errors.
#pragma once

#include <string>

#include "portatune/error.h"

namespace portatune {

/// The where, given and expected parts on one line: "train.csv:17: 3 fields, expected 2 fields". Control characters
/// become blanks.
std::string one_line(const Report& report);

}  // namespace portatune
