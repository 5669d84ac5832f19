// The options of evaluate, predict and generate.
#include <CLI/CLI.hpp>
#include <string>

#include "portatune/cli/options/commands/add_options.h"
#include "portatune/cli/options/commands/model_options.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/commands/row_options.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/run/options/run_options.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

void add_chat_template(Group& group, std::filesystem::path& file, std::string& variables) {
  group.path("--chat-template", file, "a template's file")->default_str("the model's");
  group.text("--chat-template-kwargs", variables, "its variables, as JSON: {\"enable_thinking\": false}")
      ->default_str("none");
}

// The values given here override those of the model folder, which is not read yet.
void add_generation(CLI::App& command, GenerateArguments& a) {
  std::vector<OptionField> fields = fields_of(a.defaults);
  for (OptionField& field : fields) {
    field.set = [&a, name = field.name](const std::vector<std::string>& texts) { a.generation[name] = texts; };
  }
  add_fields(command, fields, "Generation (defaults are generation_config.json's)");
}

}  // namespace

void add_options(CLI::App& command, EvaluateArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model, tasks::trained_task_names());
  add_adapters(data, a.adapters);
  add_data(data, "--data,--validation-file", a.data, std::string(run::kRowFiles) + "; NAME=FILE: sets")->required();
  add_format(data, a.model.table);
  add_table(data, a.model);
  add_first_rows(data, "--max-eval-samples", a.max_eval_samples, "measure the first rows of each set only");
  add_padding(data, a.model.padding);
  add_batch_size(data, a.batch_size);
  add_task_options(command, a.model, OptionUse::kLabels);
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  add_fields(command, fields_of(a.reporting));
  add_dtype(command, a.dtype);
  add_device(command, a.device);
  add_mesh(command, a.device);
}

void add_options(CLI::App& command, PredictArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model, tasks::task_names());
  add_adapters(data, a.adapters);
  CLI::Option* files =
      add_data(data, "--data,--test-file", a.data, std::string(run::kRowFiles) + "; labels are not read");
  CLI::Option* texts =
      data.texts("--text", a.texts, "a text to predict in place of files; may be given several times")->excludes(files);
  add_format(data, a.model.table);
  add_table(data, a.model);
  add_first_rows(data, "--max-predict-samples", a.max_predict_samples, "predict the first rows only");
  add_padding(data, a.model.padding);
  add_batch_size(data, a.batch_size);
  add_task_options(command, a.model, OptionUse::kRows);
  Group output(command, "Output");
  output
      .path("--output", a.output,
            "NAME.csv or .tsv: a table; any other name: a JSON object a line (answers: NAME.json is {id: text}); - is "
            "stdout")
      ->default_str("-");
  output.names("--keep-columns", a.model.table.extra_columns, "columns of the rows that the predictions repeat")
      ->default_str("none")
      ->excludes(texts);
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  add_reporting(command, a.reporting, {"quiet", "disable_progress"});
  add_dtype(command, a.dtype);
  add_device(command, a.device);
  add_mesh(command, a.device);
}

void add_options(CLI::App& command, GenerateArguments& a) {
  Group data(command, "Prompts");
  data.path("--model,--model-name-or-path", a.model, "folder of a model, or its name on the Hugging Face Hub")
      ->required();
  add_adapters(data, a.adapters);
  data.texts("--prompt", a.prompts, "a text to continue; may be given several times");
  data.files("--input", a.input, "prompts: .txt, a line each; .csv, .tsv, .jsonl");
  data.text("--text-column", a.text_column, "column of the prompt");
  data.number("--batch-size", a.batch_size, "prompts at a time, on each device", {.lowest = 1, .highest = 1024});
  Group chat(command, "Chat");
  chat.flag("--chat", a.chat, "prompts are a user's messages, by the model's chat template");
  chat.text("--system", a.system, "the message before the user's")->default_str("none");
  chat.text("--messages-column", a.messages_column, "column of conversations in --input; .txt: a message a line");
  add_chat_template(chat, a.chat_template, a.chat_variables);
  add_generation(command, a);
  Group(command, "Output").path("--output", a.output, "a JSON object a prompt; - is stdout")->default_str("-");
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  const std::vector<OptionField> report = fields_of(a.reporting);
  add_fields(command, {with_help(only(report, {"json"}).front(),
                                 "a line of JSON for each prompt, also where there is only one")});
  add_reporting(command, a.reporting, {"quiet"});
  add_dtype(command, a.dtype, "type of matrices, activations and the cache");
  add_device(command, a.device);
  add_mesh(command, a.device);
}

}  // namespace portatune::cli
