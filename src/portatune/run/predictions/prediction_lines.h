// The lines of predictions that a task has written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune::run {

/// The lines of a text of PredictionLines, without their newlines. The last one may lack its newline.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace portatune::run
