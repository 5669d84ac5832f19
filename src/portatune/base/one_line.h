// An error on one line, for lists of them.
#pragma once

#include <string>

#include "portatune/error.h"

namespace portatune {

/// "train.csv:17: 3 fields, expected 2 fields": where, given and expected, whatever characters these have.
std::string one_line(const Report& report);

}  // namespace portatune
