// The translation of a command line with names of other programs into Portatune's names.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace portatune::cli {

/// An option as Portatune spells it: transformers' underscores in its name become hyphens. Other words are unchanged.
std::string with_hyphens(std::string word);

/// The words with the options of other_names.h replaced. `--flag True`, as in transformers, becomes `--flag=true`.
/// command  the command, whose own options are unchanged
/// where    the command's name, for errors
/// errors   UsageError for options that other_names.h answers, for all of them at once
std::vector<std::string> in_own_words(const std::vector<std::string>& words, const CLI::App& command,
                                      const std::string& where);

/// The names under which the words give an option of the command: {"--lr", "--learning-rate"}.
/// errors  those of in_own_words()
std::vector<std::string> names_given(const std::vector<std::string>& words, const CLI::App& command,
                                     const CLI::Option& option);

}  // namespace portatune::cli
