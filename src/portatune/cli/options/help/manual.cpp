#include "portatune/cli/options/help/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "portatune/base/version.h"
#include "portatune/cli/options/help/help.h"

namespace portatune::cli {
namespace {

void add_topics(const CLI::App& app, const std::string& prefix, std::vector<std::string>& topics) {
  for (const CLI::App* command : commands_in(app)) {
    const std::string topic = prefix + command->get_name();
    topics.push_back(topic);
    add_topics(*command, topic + " ", topics);
  }
}

// "portatune-tfrecord-write".
std::string title_of(const CLI::App& app) {
  std::string title = words_of(app);
  std::ranges::replace(title, ' ', '-');
  return title;
}

// Text in which roff sees no requests. Hyphens become those of ASCII, so that options can be copied.
std::string escaped(const std::string& text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '|') {
      result += "|\\:";  // a line may end between the words of a choice
    } else {
      result += c;
    }
  }
  return result;
}

std::string in_bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

// The argument of a macro.
std::string in_macro_quotes(std::string text) {
  for (size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2)) text.replace(at, 1, "\"\"");
  return "\"" + text + "\"";
}

std::string section(const std::string& heading) { return ".SH " + in_macro_quotes(escaped(heading)) + "\n"; }

// An item of a list: the line of its term, and its text.
std::string item(const std::string& term, const std::string& text) { return ".TP\n" + term + "\n" + text + "\n"; }

std::string examples_of(const CLI::App& app) {
  std::string text = section("EXAMPLES") + ".nf\n";
  std::istringstream lines(app.get_footer());
  for (std::string line; std::getline(lines, line);) text += escaped(line) + "\n";
  return text + ".fi\n";
}

std::string commands_of(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : commands_in(app)) {
    text += item(in_bold(title_of(*command)) + "(1)", escaped(command->get_description()));
  }
  return text.empty() ? "" : section("COMMANDS") + text;
}

std::string names_of(const CLI::Option& option) {
  const std::string value = option.get_expected_max() > 0 ? escaped(option.get_type_name()) : "";
  if (option.get_positional()) return in_bold(value);
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(in_bold("-" + name));
  for (const std::string& name : option.get_lnames()) names.push_back(in_bold("--" + name));
  return fmt::format("{}{}", fmt::join(names, ", "), value.empty() ? "" : " \\fI" + value + "\\fR");
}

std::string text_of(const CLI::Option& option) { return escaped(option.get_description() + note_on(option)); }

// The options by the groups of the help.
std::string options_of(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string items;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group) items += item(names_of(*option), text_of(*option));
    }
    if (!group.empty() && !items.empty()) text += ".SS " + in_macro_quotes(escaped(group)) + "\n" + items;
  }
  return text.empty() ? "" : section("OPTIONS") + text;
}

// The name and the value of an option in the synopsis: "--model PATH", or "[NAME]" for an argument that may be absent.
std::string argument_of(const CLI::Option& option) {
  std::string argument = "\\fI" + escaped(option.get_type_name()) + "\\fR";
  if (!option.get_positional()) argument = in_bold(option.get_name()) + " " + argument;
  return option.get_required() ? argument : "[" + argument + "]";
}

// The words of the command, with its required options and its positional arguments.
std::string synopsis_of(const CLI::App& app) {
  std::string text = section("SYNOPSIS") + in_bold(words_of(app));
  if (!commands_in(app).empty()) text += " \\fICOMMAND\\fR";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_required() || option->get_positional()) text += " " + argument_of(*option);
  }
  return text + " [\\fIOPTIONS\\fR]\n";
}

std::string see_also(const CLI::App& app) {
  return app.get_parent() == nullptr ? "" : section("SEE ALSO") + in_bold(title_of(*app.get_parent())) + "(1)\n";
}

}  // namespace

std::vector<std::string> manual_topics(const CLI::App& program) {
  std::vector<std::string> topics;
  add_topics(program, "", topics);
  return topics;
}

std::string manual_page(const CLI::App& app) {
  const std::string description = app.get_description();
  constexpr const char* kWholeWords = ".nh\n.ad l\n";  // so that options can be copied
  return fmt::format(".TH {} 1 \"\" \"Portatune {}\" \"User Commands\"\n{}", in_macro_quotes(escaped(title_of(app))),
                     version(), kWholeWords) +
         section("NAME") + escaped(title_of(app)) + " \\- " +
         escaped(description.substr(0, description.find_last_not_of('.') + 1)) + "\n" + synopsis_of(app) +
         examples_of(app) + commands_of(app) + options_of(app) + see_also(app);
}

}  // namespace portatune::cli
