#include "portatune/cli/options/model_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "portatune/cli/options/arguments.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/cli/terminal/opening_report.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"
#include "portatune/hub/download/find_model.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/run/inputs/task/model_settings.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaxBytes = 1'000'000;

// A model of the Hugging Face cache has its folder in the cache. A missing model is reported by the command.
std::filesystem::path file_of(const run::ModelOptions& model) {
  try {
    return hub::find_model(model.folder, hub::Contents::kModel, "--model") / train::kSettingsFile;
  } catch (const Error&) {
    return model.folder / train::kSettingsFile;
  }
}

int64_t line_of(const std::string& key, const std::string& text) {
  return 1 + std::ranges::count(text.substr(0, text.find("\"" + key + "\"")), '\n');
}

[[noreturn]] void refuse(const std::string& place, std::string given, const char* expected) {
  throw CheckpointError({.where = place,
                         .given = std::move(given),
                         .expected = expected,
                         .fix = "correct the line, or remove it and give the option on the command line"});
}

std::string text_of(const Json& value, const std::string& key, const std::string& place) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  refuse(place, "\"" + key + "\" with " + value.dump().substr(0, 40),
         "a text, a number, true, false or a list of texts");
}

Setting setting_of(const std::string& key, const Json& value, const std::filesystem::path& file, int64_t line) {
  const std::string place = fmt::format("{}:{}", file.string(), line);
  if (!run::is_kept(key)) refuse(place, "unknown setting \"" + key + "\"", "a setting that portatune fit writes");
  Setting setting{.key = key, .values = {}, .is_list = value.is_array(), .line = line};
  if (!setting.is_list) setting.values.push_back(text_of(value, key, place));
  if (setting.is_list) {
    for (const Json& item : value) setting.values.push_back(text_of(item, key, place));
  }
  return setting;
}

// The options of the model with an adapter.
run::ModelOptions with_adapter(run::ModelOptions model, const run::NamedAdapter& adapter) {
  model.folder = adapter.folder;
  return model;
}

std::optional<Recipe> settings_in(const run::ModelOptions& model) {
  const std::filesystem::path file = file_of(model);
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  const std::string text = io::read_text(file, kMaxBytes);
  Recipe settings{.file = file, .settings = {}};
  const Json object = io::parse_json_object(text, file.string());
  for (const auto& [key, value] : object.items()) {
    settings.settings.push_back(setting_of(key, value, file, line_of(key, text)));
    const bool is_this_task = settings.settings.back().values == std::vector{model.task};
    if (key == "task" && !model.task.empty() && !is_this_task) return std::nullopt;
  }
  return settings;
}

bool are_same(const std::optional<Recipe>& a, const std::optional<Recipe>& b) {
  const auto is_same = [](const Setting& x, const Setting& y) { return x.key == y.key && x.values == y.values; };
  return a && b ? std::ranges::equal(a->settings, b->settings, is_same) : !a && !b;
}

}  // namespace

std::optional<Recipe> read_settings(const run::ModelOptions& model, const std::vector<run::NamedAdapter>& adapters) {
  if (adapters.empty()) return settings_in(model);
  const std::optional<Recipe> first = settings_in(with_adapter(model, adapters.front()));
  for (const run::NamedAdapter& adapter : adapters) {
    if (are_same(first, settings_in(with_adapter(model, adapter)))) continue;
    throw UsageError({.where = "--adapter",
                      .given = fmt::format("adapters with different settings in {}: {} and {}", train::kSettingsFile,
                                           adapters.front().name, adapter.name),
                      .expected = "adapters that were trained with the same task, columns and lengths",
                      .fix = "use the adapters one by one"});
  }
  return first;
}

void report_settings(const run::ModelOptions& model, const std::vector<run::NamedAdapter>& adapters,
                     const std::vector<std::string>& settings, const Reporting& reporting) {
  if (settings.empty() || reporting.quiet) return;
  const std::filesystem::path file = file_of(adapters.empty() ? model : with_adapter(model, adapters.front()));
  const std::string text = fmt::format("{}: {}", file.string(), fmt::join(settings, " "));
  for (const std::string& line : labelled("options", text)) print_message_line(line);
}

}  // namespace portatune::cli
