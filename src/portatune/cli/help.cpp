#include "portatune/cli/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace portatune::cli {
namespace {

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_type_name();
  const std::vector<std::string>& shorts = option.get_snames();
  std::string name = shorts.empty() ? "" : "-" + shorts.front() + ", ";
  // The names of other programs, which are accepted too, follow the first one.
  name += "--" + option.get_lnames().front();
  if (option.get_expected_max() > 0) name += " " + option.get_type_name();
  return name;
}

std::string line_of(const CLI::Option& option) {
  std::string note = option.get_default_str();
  if (option.get_required()) note = "required";
  if (!note.empty()) note = " [" + note + "]";
  return fmt::format("  {:<36} {}{}\n", name_of(option), option.get_description(), note);
}

std::string commands_of(const CLI::App& app) {
  std::string text = "\nCommands\n";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += fmt::format("  {:<12} {}\n", command->get_name(), command->get_description());
  }
  return text;
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    text += "\n" + group + "\n";
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group) text += line_of(*option);
    }
  }
  return text;
}

}  // namespace

std::string help(const CLI::App& app) {
  std::string text = app.get_description() + "\n\nExamples\n" + app.get_footer();
  const bool has_commands = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (has_commands) text += commands_of(app);
  text += options_of(app);
  return text;
}

}  // namespace portatune::cli
