// Command lines of `portatune fit`, and what parse() makes of words.
#pragma once

#include <string>
#include <variant>

#include "cli/program.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/error.h"

namespace portatune::cli {

inline const Words kFit = {"fit", "--model", "m", "--train", "t.csv", "--output", "o"};

/// The words of a complete `fit` with `more` options.
inline Words fit_words(const Words& more) {
  Words words = kFit;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline FitArguments fit_arguments(const Words& more) { return std::get<FitArguments>(parse(fit_words(more))); }

/// The message of the UsageError for these words; empty if they are right.
inline std::string complaint(const Words& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace portatune::cli
