#include "portatune/cli/model_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "portatune/cli/command_line.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/opening_report.h"
#include "portatune/cli/recipe_words.h"
#include "portatune/cli/report.h"
#include "portatune/error.h"
#include "portatune/hub/find_model.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaxBytes = 1'000'000;

// What decides how rows are read and encoded. No other option is read from a model's folder, which may be a stranger's.
constexpr std::string_view kKept[] = {"task",
                                      "option",
                                      "max_length",
                                      "text_column",
                                      "text_pair_column",
                                      "label_column",
                                      "label_columns",
                                      "label_separator",
                                      "tokens_column",
                                      "tags_column",
                                      "doc_stride",
                                      "version_2_with_negative",
                                      "n_best_size",
                                      "max_answer_length",
                                      "null_score_diff_threshold",
                                      "context_column",
                                      "header_column",
                                      "ending_columns",
                                      "endings_column",
                                      "mlm_probability",
                                      "whole_words",
                                      "next_sentence",
                                      "messages_column",
                                      "prompt_column",
                                      "completion_column",
                                      "input_column",
                                      "as_messages",
                                      "chat_template_kwargs",
                                      "image_column",
                                      "max_pixels",
                                      "reduced_decode"};

bool is_kept(std::string_view key) { return std::ranges::find(kKept, key) != std::end(kKept); }

// A model of the Hugging Face cache has its folder there. Where no model is found, the command reports that.
std::filesystem::path file_of(const ModelArguments& model) {
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
  if (!is_kept(key)) refuse(place, "unknown setting \"" + key + "\"", "a setting that portatune fit writes");
  Setting setting{.key = key, .values = {}, .is_list = value.is_array(), .line = line};
  if (!setting.is_list) setting.values.push_back(text_of(value, key, place));
  if (setting.is_list) {
    for (const Json& item : value) setting.values.push_back(text_of(item, key, place));
  }
  return setting;
}

Json value_of(const GivenOption& option) {
  if (option.values.size() != 1) return option.values;
  return option.values.front() == "true" ? Json(true) : Json(option.values.front());
}

}  // namespace

std::string settings_text(const FitArguments& a) {
  Json settings = {{"task", a.model.task}};
  if (is_option_of(a.model.task, "--max-length")) settings["max_length"] = a.model.options.max_length;
  for (const GivenOption& option : a.model.given) {
    const std::string key = as_key(option.name);
    if (is_kept(key) && !settings.contains(key)) settings[key] = value_of(option);
  }
  return settings.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Recipe> read_settings(const ModelArguments& model) {
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

void say_settings(const ModelArguments& model, const Talk& talk) {
  if (model.settings.empty() || talk.quiet) return;
  const std::string text = fmt::format("{}: {}", file_of(model).string(), fmt::join(model.settings, " "));
  for (const std::string& line : labelled("options", text)) tell_line(line);
}

}  // namespace portatune::cli
