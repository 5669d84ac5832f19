#include "portatune/cli/options/help/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <set>

#include "portatune/base/text/message.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/error.h"
#include "portatune/run/inputs/task/given_options.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

constexpr size_t kTextColumn = 25;  // column at which descriptions begin
constexpr size_t kFewOptions = 24;  // a command with at most this many options shows all of them
constexpr size_t kMaxOtherNames = 2;
constexpr char kOr = '|';  // separator of the words of a choice

// The options that `--help` shows for commands with many options.
const std::set<std::string> kMain = {
    // inputs of a command
    "--model", "--task", "--train", "--validation", "--validation-split", "--data", "--text-column", "--label-column",
    "--recipe", "--text", "--format", "--keep-columns", "--input",
    // training
    "--epochs", "--batch-size", "--learning-rate", "--max-length", "--padding", "--packing", "--dtype", "--remat",
    "--seed",
    // outputs and devices of a command
    "--output", "--overwrite-output", "--checkpoint-every", "--resume", "--json", "--device", "--mesh",
    // plan, parity, bench-input
    "--on", "--save", "--largest-batch", "--case", "--against", "--steps", "--every", "--seconds",
    // sweep
    "--grid", "--seeds", "--random", "--halving", "--halving-factor", "--keep-models"};
// Those of generate. Some of these are also rare options of training.
const std::set<std::string> kMainOfGenerate = {"--prompt",         "--chat",      "--system",
                                               "--max-new-tokens", "--do-sample", "--temperature",
                                               "--top-p",          "--num-beams", "--stop-strings"};

using Options = std::vector<const CLI::Option*>;

bool is_choice(const CLI::Option& option) { return option.get_type_name().find(kOr) != std::string::npos; }

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_type_name();
  const std::vector<std::string>& shorts = option.get_snames();
  std::string name = shorts.empty() ? "" : "-" + shorts.front() + ", ";
  name += "--" + option.get_lnames().front();
  if (option.get_expected_max() > 0) name += is_choice(option) ? " NAME" : " " + option.get_type_name();
  return name;
}

// The description of an option. The words of a choice come before its text.
std::string description_of(const CLI::Option& option) {
  std::string words = is_choice(option) ? option.get_type_name() + ": " : "";
  for (size_t at = words.find(kOr); at != std::string::npos; at = words.find(kOr)) words.replace(at, 1, ", ");
  return words + option.get_description();
}

// The other names of an option in the spelling of transformers.
std::vector<std::string> other_names(const CLI::Option& option) {
  if (option.get_positional()) return {};
  std::vector<std::string> names(option.get_lnames().begin() + 1, option.get_lnames().end());
  if (names.empty()) names = other_names_of(option.get_name());
  names.resize(std::min(names.size(), kMaxOtherNames));
  for (std::string& name : names) std::ranges::replace(name, '-', '_');
  return names;
}

// Name and text in two columns. A name that is too long has a line of its own.
std::string in_columns(const std::string& name, const std::string& text, int columns) {
  std::string line = "  " + name;
  line += line.size() + 1 < kTextColumn ? std::string(kTextColumn - line.size(), ' ')
                                        : "\n" + std::string(kTextColumn, ' ');
  const size_t width = static_cast<size_t>(std::max(columns, 60)) - kTextColumn;
  return line + wrapped(text, width, kTextColumn) + "\n";
}

std::string line_of(const CLI::Option& option, int columns) {
  std::string text = description_of(option) + note_on(option);
  const std::vector<std::string> others = other_names(option);
  if (!others.empty()) text += " (" + list_of(others) + ")";
  return in_columns(name_of(option), text, columns);
}

std::string describe_commands(const CLI::App& app, int columns) {
  std::string text = "\nCommands\n";
  for (const CLI::App* command : commands_in(app)) {
    text += in_columns(command->get_name(), command->get_description(), columns);
  }
  return text;
}

// The lines of the options, under the names of their groups.
std::string lines_of(const CLI::App& app, int columns, const std::function<bool(const CLI::Option&)>& is_shown) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string lines;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group && is_shown(*option)) lines += line_of(*option, columns);
    }
    if (!group.empty() && !lines.empty()) text += "\n" + group + "\n" + lines;
  }
  return text;
}

std::string help_on_task(const CLI::App& app, const HelpRequest& request) {
  const std::vector<std::string> names = tasks::task_names();
  if (std::ranges::find(names, request.task) == names.end()) {
    throw UsageError({.where = "--task",
                      .given = request.task,
                      .expected = "one of " + list_of(names),
                      .fix = suggestion(task_instead_of(request.task))});
  }
  const TaskSpec& task = tasks::task_called(request.task);
  const std::string lines = lines_of(app, request.columns, [&](const CLI::Option& option) {
    return !option.get_positional() && tasks::has_option(task, run::as_key(option.get_name()));
  });
  return "Options of " + words_of(app) + " --task " + request.task + ", beside those of every task\n" + lines +
         "\nMore: " + words_of(app) + " --help, --help-all\n";
}

}  // namespace

std::vector<const CLI::App*> commands_in(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string help(const CLI::App& app, const HelpRequest& request) {
  const bool has_tasks = app.get_option_no_throw("--task") != nullptr;
  if (has_tasks && !request.task.empty()) return help_on_task(app, request);
  std::string text = app.get_description() + "\n\nExamples\n" + app.get_footer();
  if (!commands_in(app).empty()) text += describe_commands(app, request.columns);
  const bool all = request.all || app.get_options().size() <= kFewOptions;
  text += lines_of(app, request.columns, [&](const CLI::Option& option) {
    const bool is_of_generate = app.get_name() == "generate" && kMainOfGenerate.contains(option.get_name());
    return all || is_of_generate || kMain.contains(option.get_name());
  });
  if (all) return text;
  return text + fmt::format("\nMore: --help-all ({} options){}\n", app.get_options().size(),
                            has_tasks ? ", --help --task NAME (the options of a task)" : "");
}

std::string words_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : words_of(*app.get_parent()) + " " + app.get_name();
}

std::string note_on(const CLI::Option& option) {
  const std::string note = option.get_required() ? "required" : option.get_default_str();
  return note.empty() || note == "none" ? "" : " [" + note + "]";
}

}  // namespace portatune::cli
