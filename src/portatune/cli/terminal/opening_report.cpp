#include "portatune/cli/terminal/opening_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "portatune/analysis/report/run_log.h"
#include "portatune/base/files/path_name.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/cores.h"
#include "portatune/base/version.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/graph.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/download/cache.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/text/json.h"
#include "portatune/nn/adapted_layers.h"
#include "portatune/nn/name_pattern.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/records/metrics_log.h"
#include "portatune/run/run_plan.h"
#include "portatune/sources.h"
#include "portatune/train/optimizers.h"
#include "portatune/train/schedule.h"

namespace portatune::cli {
namespace {

constexpr size_t kColumns = 80, kIndent = 8, kMaxNames = 8;

using Parameters = std::vector<std::pair<std::string, TensorType>>;

std::string of_millions(int64_t count) {
  if (count >= 1'000'000'000) return fmt::format("{:.2f} B", static_cast<double>(count) / 1e9);
  return count >= 1'000'000 ? fmt::format("{:.1f} M", static_cast<double>(count) / 1e6) : grouped(count);
}

// The name of a file. A URL loses its query, which may hold a signature.
std::string file_name(const std::string& path) {
  return last_part_of(io::is_remote(path) ? path.substr(0, path.find('?')) : path);
}

std::string file_names(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) names.push_back(file_name(word));
  return list_of(names, 3);
}

// The libraries in a version: "AVX-512, oneDNN 3.9" of "portatune kernels 12, AVX-512, oneDNN 3.9".
std::string libraries_of(const std::string& kernels_version) {
  const size_t comma = kernels_version.find(", ");
  return comma == std::string::npos ? kernels_version : kernels_version.substr(comma + 2);
}

std::string describe_device(const run::Opening& o) {
  const DeviceFacts facts = o.device.facts();
  const bool is_cpu = facts.platform == "cpu";
  std::string text = facts.platform + ": ";
  text += is_cpu ? counted(usable_cores(), "core") : facts.devices.empty() ? "no device" : facts.devices.front();
  if (is_cpu) {
    text +=
        ", " + (o.device.target().kernels.empty() ? std::string("no kernels") : libraries_of(facts.kernels_version));
  }
  const Mesh& mesh = o.device.mesh();
  if (mesh.devices() > 1) text += fmt::format(", mesh {}", to_string(mesh));
  if (o.device.processes() != nullptr) text += fmt::format(", {} processes", o.device.processes()->size());
  return text + "; " + std::string(name_of(o.plan.training.dtype));
}

int64_t elements_of(const Parameters& parameters) {
  int64_t elements = 0;
  for (const auto& [name, type] : parameters) elements += type.shape.elements();
  return elements;
}

// "classifier (770)": the layers of these parameters, with their number of elements.
std::string layers_of(const std::vector<std::string>& names, const Parameters& parameters) {
  const std::map<std::string, TensorType> types(parameters.begin(), parameters.end());
  std::map<std::string, int64_t> layers;
  for (const std::string& name : names) {
    const auto type = types.find(name);
    layers[name.substr(0, name.rfind('.'))] += type == types.end() ? 0 : type->second.shape.elements();
  }
  std::vector<std::string> texts;
  for (const auto& [layer, elements] : layers) texts.push_back(fmt::format("{} ({})", layer, grouped(elements)));
  return list_of(texts, 4);
}

// A custom task may lack config.json.
std::string architecture_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = hub::folder_of_settings(folder) / "config.json";
  if (!std::filesystem::exists(file)) return "a model";
  const io::JsonObject config = io::JsonObject::read(file);
  const std::vector<std::string> names = config.get_strings("architectures");
  return names.empty() ? config.get_string_or("model_type", "a model") : names.front();
}

// "", or the share of the parameters that are trained.
std::string describe_trained(const TrainingOptions& training, const Parameters& parameters) {
  if (!training.lora && training.freeze.empty()) return "";
  const auto is_trained = [&](const auto& parameter) {
    if (training.lora) return nn::is_trained(*training.lora, parameter.first);
    return std::ranges::none_of(training.freeze,
                                [&](const std::string& pattern) { return nn::matches(parameter.first, pattern); });
  };
  Parameters trained;
  std::ranges::copy_if(parameters, std::back_inserter(trained), is_trained);
  const auto count = elements_of(trained), all = elements_of(parameters);
  const std::string frozen = training.freeze.empty() ? "" : "; frozen: " + list_of(training.freeze, 4);
  return fmt::format("{}; trained: {} parameters{} ({:.2f} %)", frozen, grouped(count),
                     training.lora ? " in adapters and head" : "",
                     100.0 * static_cast<double>(count) / static_cast<double>(all));
}

std::string describe_model(const run::Opening& o) {
  const LoadReport& report = o.trainer.load_report();
  const Parameters parameters = o.trainer.parameters();
  const std::filesystem::path& folder = run::model_of(o.plan);
  std::vector<std::string> drawn;
  std::ranges::copy_if(report.missing, std::back_inserter(drawn), [&](const std::string& name) {
    const bool is_of_adapter = o.plan.training.lora && !nn::layer_of_adapter(name).empty();
    return !is_of_adapter && std::ranges::find(report.replaced, name) == report.replaced.end();
  });
  const std::optional<io::HubName> on_hub = hub::hub_name_of(folder);
  const std::string name = on_hub ? on_hub->name : file_name(folder.string());
  std::string text = fmt::format("{}: {} for {}, {} parameters", name, architecture_in(folder), o.plan.model.task,
                                 of_millions(elements_of(parameters)));
  const bool is_from_scratch = o.plan.training.from_config && o.plan.checkpoint.empty();
  if (!drawn.empty()) text += is_from_scratch ? "; new: all weights" : "; new: " + layers_of(drawn, parameters);
  if (!report.replaced.empty()) text += "; replaced: " + layers_of(report.replaced, parameters);
  return text + describe_trained(o.plan.training, parameters);
}

std::string class_name(const std::string& label) {
  const bool is_plain = !label.empty() && label.find_first_of(" \t,()\"") == std::string::npos;
  return is_plain ? shortened(label, 40) : "\"" + shortened(label, 40) + "\"";
}

std::string describe_classes(const run::DataSurvey& data, const RowTask& task) {
  std::vector<std::string> names;
  for (const auto& [label, count] : data.classes)
    names.push_back(fmt::format("{} ({})", class_name(label), grouped(count)));
  const RowLabels labels = task.row_labels();
  return fmt::format("{} {}: {}", grouped(std::ssize(names)), names.size() == 1 ? labels.noun : labels.nouns,
                     list_of(names, kMaxNames));
}

int64_t median_of(const data::LengthCounts& lengths, int64_t examples) {
  int64_t seen = 0;
  for (const auto& [length, count] : lengths) {
    seen += count;
    if (2 * seen >= examples) return length;
  }
  return 0;
}

std::string describe_lengths(const run::DataSurvey& data, int64_t max_length) {
  int64_t examples = 0;
  for (const auto& [length, count] : data.lengths) examples += count;
  std::string text =
      fmt::format("; tokens {} median, {} longest", median_of(data.lengths, examples), data.lengths.rbegin()->first);
  if (data.cut_texts) text += fmt::format("; {} cut at {}", counted(*data.cut_texts, "text"), max_length);
  return text;
}

std::string describe_rows(const run::DataSurvey& data) {
  std::string text = counted(data.rows, "row");
  if (data.examples != data.rows) text += ", " + counted(data.examples, "example");
  return text;
}

std::string describe_training_data(const run::Opening& o) {
  std::string text = file_names(o.plan.train) + ": " + describe_rows(o.train);
  if (!o.train.classes.empty()) text += "; " + describe_classes(o.train, o.task);
  if (o.train.numbers) {
    text += fmt::format("; labels {} to {}", to_text(o.train.numbers->first), to_text(o.train.numbers->second));
  }
  if (o.train.weights) {
    text += fmt::format("; weights {} to {} in column {}", to_text(o.train.weights->first),
                        to_text(o.train.weights->second), o.plan.weights);
  }
  if (!o.train.lengths.empty()) text += describe_lengths(o.train, o.task.max_length());
  return text;
}

std::vector<std::string> names_of_sets(const run::RunPlan& plan) {
  if (plan.folds > 0) return {"the rows of this fold"};
  if (plan.validation_split > 0) return {fmt::format("{:g} % of the training rows", 100 * plan.validation_split)};
  std::vector<std::string> names;
  for (const run::NamedFiles& set : run::named_files(plan.validation)) {
    names.push_back((set.name.empty() ? "" : set.name + "=") + file_names(set.files));
  }
  return names;
}

std::string describe_validation(const run::Opening& o) {
  if (o.validation.empty()) return "no --validation: the model is not measured on held-out rows";
  const std::vector<std::string> names = names_of_sets(o.plan);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::optional<run::DataSurvey>& set = o.validation.at(i);
    text += (i == 0 ? "" : "; ") + names[i] + (set ? ": " + describe_rows(*set) : "");
  }
  return text;
}

std::string describe_batch(const run::RunPlan& plan) {
  if (plan.packed && plan.packed->packing == data::Packing::kTokenBudget) return "packed by tokens";
  const int64_t parts = run::parts_of_step(plan);
  std::string text = fmt::format("batch {}", run::rows_of_step(plan));
  if (parts > 1) text += fmt::format(" ({} x {})", parts, plan.batch_size);
  return text + (plan.packed ? ", packed" : "");
}

std::string describe_run(const run::Opening& o) {
  const TrainingOptions& t = o.plan.training;
  const std::string steps = counted(o.length.steps_per_epoch, "step");
  std::string text = o.plan.max_steps > 0 ? fmt::format("{}, an epoch has {}", counted(o.plan.max_steps, "step"), steps)
                                          : fmt::format("{} of {}", counted(o.length.num_train_epochs, "epoch"), steps);
  text += fmt::format(", {}, {} {} {}", describe_batch(o.plan), train::optimizer_title(t), to_text(t.learning_rate),
                      t.lr_scheduler_type);
  const int64_t warmup = train::warmup_steps(t, run::total_steps(o));
  if (warmup > 0) text += fmt::format(" after {}", counted(warmup, "warm-up step"));
  if (t.weight_decay > 0) text += fmt::format(", weight decay {}", to_text(t.weight_decay));
  text += fmt::format(", seed {}; metrics in {}", t.seed, (o.plan.output / report::kLogFile).string());
  return o.trainer.steps() > 0 ? text + fmt::format("; resumes after step {}", grouped(o.trainer.steps())) : text;
}

}  // namespace

std::vector<std::string> labelled(const std::string& label, const std::string& text) {
  const std::string whole = fmt::format("{:<{}}{}", label, kIndent, text);
  const std::string rest = wrapped(std::string_view(whole).substr(kIndent), kColumns - kIndent, kIndent);
  std::istringstream lines(whole.substr(0, kIndent) + rest);
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);) result.push_back(std::move(line));
  return result;
}

std::vector<std::string> opening_report(const run::Opening& opening) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& label, const std::string& text) {
    for (std::string& line : labelled(label, text)) lines.push_back(std::move(line));
  };
  add(fmt::format("portatune {}   ", version()), describe_device(opening));
  add("model", describe_model(opening));
  add("train", describe_training_data(opening));
  add("eval", describe_validation(opening));
  add("run", describe_run(opening));
  for (const std::string& note : run::notes_of(opening)) add("note", note);
  for (const std::string& warning : run::warnings_of(opening)) add("warning:", " " + warning);
  return lines;
}

}  // namespace portatune::cli
