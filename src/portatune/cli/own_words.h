// A command line that may have names of other programs, in Portatune's own.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace portatune::cli {

/// An option as Portatune spells it: transformers' underscores in its name become hyphens. Other words stay.
std::string with_hyphens(std::string word);

/// The words with the options of other_names.h replaced. `--flag True`, as transformers has it, becomes `--flag=true`.
/// command  whose own options stay as they are
/// where    the command's name, for errors
/// errors   UsageError for options that other_names.h answers, for all of them at once
std::vector<std::string> in_own_words(const std::vector<std::string>& words, const CLI::App& command,
                                      const std::string& where);

}  // namespace portatune::cli
