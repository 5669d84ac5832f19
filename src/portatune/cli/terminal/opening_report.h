// The report of fit() before it trains: the program, the device, the model, the data, the run, and suspicious findings.
#pragma once

#include <string>
#include <vector>

#include "portatune/run/opening.h"

namespace portatune::cli {

/// The report, in lines of at most 80 columns.
std::vector<std::string> opening_report(const run::Opening& opening);

/// The text in lines of at most 80 columns, cut at blanks. The first begins with `label`, the others are indented.
std::vector<std::string> labelled(const std::string& label, const std::string& text);

}  // namespace portatune::cli
