#include "portatune/run/records/model_card.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>

#include "portatune/base/files/path_name.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/hub/download/cache.h"
#include "portatune/io/text/json.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/tasks/registry.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark =
    "<!-- portatune fit has written this card and replaces it; remove this line to keep a card of your own. -->";

// The name of the task on the Hub; empty if the Hub does not know it.
std::string pipeline_of(const RunOptions& run) {
  return run.model.task.empty() ? "" : tasks::task_called(run.model.task).pipeline;
}

// "org/name" of a snapshot in the Hugging Face cache; empty for other folders.
std::string hub_name(const fs::path& model) {
  const std::optional<io::HubName> name = hub::hub_name_of(model);
  return name ? name->name : "";
}

// A text in YAML, which includes the strings of JSON.
std::string yaml(const std::string& text) { return io::json_text(text); }

// The names of the validation files, without folders and queries.
std::string dataset_of(const RunOptions& run) {
  std::vector<std::string> names;
  for (const NamedFiles& set : named_files(run.validation)) {
    for (const std::string& file : set.files) {
      names.push_back(last_part_of(file.substr(0, file.find('?'))));
    }
  }
  return names.empty() ? "held-out training rows" : list_of(names);
}

std::string results(const RunOptions& run, const Outcome& outcome) {
  const std::string task = pipeline_of(run);
  if (!outcome.after || task.empty()) return {};
  const std::string dataset = yaml(dataset_of(run));
  std::string metrics;
  for (const auto& [name, value] : *outcome.after) {
    if (std::isfinite(value)) {
      metrics += fmt::format("    - type: {0}\n      name: {0}\n      value: {1}\n", yaml(name), number(value).dump());
    }
  }
  if (metrics.empty()) return {};
  return fmt::format(
      "model-index:\n- name: {}\n  results:\n  - task:\n      type: {}\n    dataset:\n      name: {}\n      type: {}\n"
      "    metrics:\n{}",
      yaml(last_part_of(run.output)), task, dataset, dataset, metrics);
}

std::string metadata(const RunOptions& run, const Outcome& outcome) {
  std::string text = run.training.lora ? "library_name: peft\n" : "library_name: transformers\n";
  const std::string base = run.training.from_config ? "" : hub_name(run.model.folder);
  if (!base.empty()) text += "base_model: " + yaml(base) + "\n";
  if (const std::string task = pipeline_of(run); !task.empty()) text += "pipeline_tag: " + task + "\n";
  return text + "tags:\n- portatune\n" + results(run, outcome);
}

std::string cell(const Scores& scores, const std::string& wanted) {
  for (const auto& [name, value] : scores) {
    if (name == wanted) return fmt::format("{:.4f}", value);
  }
  return "";
}

// The steps of the saved weights, which may be those of an earlier evaluation.
std::string steps_of(const Outcome& outcome) {
  const bool is_last = outcome.model_step == 0 || outcome.model_step == outcome.steps;
  if (is_last) return counted(outcome.steps, "step");
  return fmt::format("{} (the best of {})", counted(outcome.model_step, "step"), grouped(outcome.steps));
}

std::string scores_table(const RunOptions& run, const Outcome& outcome) {
  if (!outcome.after) return "There were no held-out rows.\n";
  std::string text = fmt::format("On {}:\n\n| metric | before | after |\n| --- | --- | --- |\n", dataset_of(run));
  const Scores before = outcome.before.value_or(Scores{});
  for (const auto& [name, value] : *outcome.after) {
    text += fmt::format("| {} | {} | {:.4f} |\n", name, cell(before, name), value);
  }
  return text;
}

// The training is described by numbers and names; paths are of no use to a reader.
std::string settings_table(const Json& options) {
  std::string text = "| setting | value |\n| --- | --- |\n";
  for (const auto& [name, value] : options.items()) {
    if (name == "model_name_or_path" || name == "output_dir") continue;
    std::string shown = printable(value.is_string() ? value.get<std::string>() : io::json_text(value));
    for (size_t at = shown.find('|'); at != std::string::npos; at = shown.find('|', at + 2)) shown.insert(at, 1, '\\');
    text += fmt::format("| {} | {} |\n", name, shown);
  }
  return text;
}

std::string with_transformers(const RunOptions& run) {
  const std::string task = pipeline_of(run);
  if (task.empty() || task == "multiple-choice" || run.training.lora) return {};
  return fmt::format("    from transformers import pipeline\n    model = pipeline(\"{}\", model=\"{}\")\n\n", task,
                     last_part_of(run.output));
}

std::string with_portatune(const RunOptions& run) {
  const std::string model = last_part_of(run.output);
  if (run.model.task == "causal-lm") {
    return fmt::format("    portatune generate --model {} --prompt \"The weather today\"\n", model);
  }
  return fmt::format("    portatune predict --model {} --data FILE\n", model);
}

}  // namespace

bool may_write_card(const fs::path& file) {
  if (!fs::exists(file)) return true;
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator(in), {}).find(kMark) != std::string::npos;
}

std::string model_card(const RunOptions& run, const Json& options, const Outcome& outcome) {
  const std::string base = hub_name(run.model.folder);
  std::string text = fmt::format("---\n{}---\n{}\n\n# {}\n\n", metadata(run, outcome), kMark, last_part_of(run.output));
  text += fmt::format("{} for {}, {} {} with Portatune in {} on {}.\n\n## Scores\n\n",
                      run.training.lora ? "A LoRA adapter" : "A model", run.model.task,
                      run.training.from_config ? "trained from scratch with the config of" : "fine-tuned from",
                      base.empty() ? last_part_of(run.model.folder) : base, steps_of(outcome),
                      counted(outcome.train_examples, "example"));
  text += scores_table(run, outcome) + "\n## Use\n\n" + with_transformers(run) + with_portatune(run);
  text += "\n## Training\n\n";
  if (!run.command.empty()) text += "    " + printable(without_secrets(run.command)) + "\n\n";
  return text + settings_table(options);
}

}  // namespace portatune::run
