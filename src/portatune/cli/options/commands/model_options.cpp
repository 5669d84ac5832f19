#include "portatune/cli/options/commands/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "portatune/base/text/message.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/hub/hub_name.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

// The name of an adapter, if it is not given: that of its folder.
run::NamedAdapter adapter_in(const std::string& word) {
  const size_t equals = word.find('=');
  const bool has_name = equals != std::string::npos && io::is_word(word.substr(0, equals));
  if (has_name) return {.name = word.substr(0, equals), .folder = word.substr(equals + 1)};
  return {.name = (std::filesystem::path(word) / "").parent_path().filename().string(), .folder = word};
}

// Returns whether a word is a value of fit's --adapter, which a recipe for several commands may have.
bool is_method(const std::string& word) {
  run::RunOptions options;
  const OptionField adapter = only(fields_of(options), {"adapter"}).front();
  return std::ranges::find(adapter.rules.choices, word, &OptionChoice::word) != adapter.rules.choices.end();
}

}  // namespace

void add_model_folder(Group group, run::ModelOptions& model) {
  group.path("--model,--model-name-or-path", model.folder, "folder of a model, or its name on the Hugging Face Hub")
      ->required();
}

void add_model(Group group, run::ModelOptions& model, const std::vector<std::string>& tasks) {
  add_model_folder(group, model);
  group
      .choice(
          "--task", tasks::task_names(), [&](const std::string& task) { model.task = task; },
          fmt::format("{}", fmt::join(tasks, ", ")), task_instead_of)
      ->type_name("NAME")
      ->default_str(model.task.empty() ? "the model's" : model.task);
}

void add_adapters(Group group, std::vector<run::NamedAdapter>& adapters) {
  const auto take = [&adapters](const std::string& word) {
    if (is_method(word) && !hub::is_adapter(word)) return;
    run::NamedAdapter adapter = adapter_in(word);
    if (std::ranges::find(adapters, adapter.name, &run::NamedAdapter::name) != adapters.end()) {
      throw UsageError({.where = "--adapter",
                        .given = "two adapters " + in_quotes(adapter.name),
                        .expected = "a name for each: --adapter NAME=FOLDER"});
    }
    adapters.push_back(std::move(adapter));
  };
  group.each_text("--adapter", take, "folder of an adapter for --model, or NAME=FOLDER; may be given several times")
      ->type_name("FOLDER")
      ->default_str("none");
}

void add_task_options(CLI::App& command, run::ModelOptions& model, OptionUse last) {
  std::vector<OptionField> fields = tasks::option_fields(model.options);
  const std::set<std::string> of_predict = tasks::prediction_options();
  std::erase_if(fields, [&](const OptionField& field) {
    return field.rules.use > last || (last > OptionUse::kRows && of_predict.contains(field.name));
  });
  for (const OptionField& field : fields) {
    if (command.get_option_no_throw(as_option_name(field.name)) == nullptr) continue;
    throw UsageError({.where = "tasks of this program",
                      .given = "an option " + in_quotes(field.name) + " of a task, which every run has",
                      .expected = "another name for the option"});
  }
  add_fields(command, fields);
}

}  // namespace portatune::cli
