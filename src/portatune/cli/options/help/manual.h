// Manual pages of the command, in the language of man(7).
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace portatune::cli {

/// The commands that have a page, as words of the command line: "fit", "tfrecord write".
std::vector<std::string> manual_topics(const CLI::App& program);

/// The page of a command, or of the whole program: its examples, its commands and all its options.
std::string manual_page(const CLI::App& app);

}  // namespace portatune::cli
