// Errors for words that no command has, or that CLI11 refuses, in plain words and with advice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "portatune/cli/options/recipes/recipe_words.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace portatune::cli {

/// The command that CLI11 has found, or the whole program.
const CLI::App& chosen_in(const CLI::App& program);

/// The name of a command with that of its group: "fit", "tfrecord write".
std::string full_name(const CLI::App& command);

/// The errors of a program and of the command that is chosen in it.
class ParseErrors {
 public:
  /// program  must outlive this object
  explicit ParseErrors(const CLI::App& program) : app_(program) {}

  /// The place of an error that no option has: "tfrecord write", or "command line" for the whole program.
  std::string place_of(const CLI::App& app) const;
  /// The place of an error whose message begins with an option, as those of CLI11 do: the line of the recipe, or the
  /// chosen command.
  std::string place_of(std::string_view message, const RecipeWords& recipe) const;
  /// "see portatune fit --help".
  std::string advice(const CLI::App& app) const;

  /// named   the command that the first words name
  /// errors  UsageError for an unknown topic: "help ftt", "man tfrecord wrte"
  void reject_unknown_topic(const std::vector<std::string>& words, const CLI::App& named) const;
  /// Unknown options are rejected before missing ones, because a missing option may be present with a typo.
  /// errors  UsageError for a word that CLI11 has left over
  void reject_unknown() const;
  /// words   those of the command line, as they were given
  /// errors  UsageError for an error of CLI11
  [[noreturn]] void reject(const CLI::ParseError& error, const std::vector<std::string>& words,
                           const RecipeWords& recipe) const;

 private:
  const CLI::App& chosen() const { return chosen_in(app_); }
  [[noreturn]] void reject(const std::string& given, const std::string& fix) const;
  void reject_missing(const CLI::ParseError& error) const;
  std::string usage() const;
  std::string instead_of_option(const std::string& name) const;
  std::string instead_of_command(const std::string& name) const;
  std::string complaint(const CLI::ParseError& error, const std::vector<std::string>& words) const;

  const CLI::App& app_;
};

}  // namespace portatune::cli
