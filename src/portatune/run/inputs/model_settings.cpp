#include "portatune/run/inputs/model_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/run/inputs/task_options.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

// The options that decide how rows are read and encoded. Others are not read from a model folder, which may come from
// a stranger.
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

Json value_of(const GivenOption& option) {
  if (option.values.size() != 1) return option.values;
  return option.values.front() == "true" ? Json(true) : Json(option.values.front());
}

}  // namespace

bool is_kept(std::string_view key) { return std::ranges::find(kKept, key) != std::end(kKept); }

std::string settings_text(const RunOptions& a) {
  Json settings = {{"task", a.model.task}};
  if (is_option_of(a.model.task, "--max-length")) settings["max_length"] = a.model.options.max_length;
  for (const GivenOption& option : a.model.given) {
    const std::string key = as_key(option.name);
    if (is_kept(key) && !settings.contains(key)) settings[key] = value_of(option);
  }
  return settings.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace portatune::run
