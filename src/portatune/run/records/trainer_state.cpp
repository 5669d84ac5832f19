#include "portatune/run/records/trainer_state.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "portatune/io/text/json.h"

namespace portatune::run {
namespace {

constexpr const char* kCallbacks = "stateful_callbacks";
constexpr const char* kOwn = "portatune";

// Adds the time of an evaluation and its speed.
void add_speed(const TrainerState& state, const Json& seconds, Json& entry) {
  entry["eval_runtime"] = seconds;
  if (state.eval_examples == 0 || !seconds.is_number() || seconds.get<double>() <= 0) return;
  const auto per_second = [&](int64_t count) { return number(static_cast<double>(count) / seconds.get<double>()); };
  entry["eval_samples_per_second"] = per_second(state.eval_examples);
  entry["eval_steps_per_second"] = per_second(state.eval_batches);
}

// Numbers of a line that transformers logs; "eval_seconds" has another name there.
Json history_entry(const TrainerState& state, const Json& line) {
  constexpr std::array<std::string_view, 5> kKnown = {"epoch", "grad_norm", "learning_rate", "loss", "step"};
  Json entry;
  for (const auto& [name, value] : line.items()) {
    const bool is_score = name.starts_with("eval_") || name.starts_with("train_");
    if (name == "eval_seconds") {
      add_speed(state, value, entry);
    } else if (is_score || std::ranges::find(kKnown, name) != kKnown.end()) {
      entry[name] = value;
    }
  }
  return entry;
}

Json history_of(const TrainerState& state, const std::vector<Json>& lines) {
  Json history = Json::array();
  for (const Json& line : lines) {
    if (!line.contains("resumed")) history.push_back(history_entry(state, line));
  }
  return history;
}

// The deciding score of the best evaluation; null if none is the best.
Json best_metric(const TrainerState& state, const std::vector<Json>& lines) {
  const std::string name = state.best_metric.starts_with("eval_") ? state.best_metric : "eval_" + state.best_metric;
  for (const Json& line : lines) {
    if (state.best_step > 0 && line["step"] == state.best_step && line.contains(name)) return line[name];
  }
  return nullptr;
}

}  // namespace

std::string text_of(const TrainerState& state, const std::vector<Json>& lines, const Json& own) {
  Json callbacks = Json::object();
  if (!own.is_null()) callbacks[kOwn] = own;
  const Json text = {{"best_global_step", state.best_step > 0 ? Json(state.best_step) : Json()},
                     {"best_metric", best_metric(state, lines)},
                     {"best_model_checkpoint", state.best_checkpoint.empty() ? Json() : Json(state.best_checkpoint)},
                     {"epoch", number(state.epoch)},
                     {"eval_steps", state.eval_steps},
                     {"global_step", state.step},
                     {"is_hyper_param_search", false},
                     {"is_local_process_zero", true},
                     {"is_world_process_zero", true},
                     {"log_history", history_of(state, lines)},
                     {"logging_steps", state.logging_steps},
                     {"max_steps", state.total_steps},
                     {"num_input_tokens_seen", 0},
                     {"num_train_epochs", state.epochs},
                     {"save_steps", state.save_steps},
                     {kCallbacks, callbacks},
                     {"total_flos", 0.0},
                     {"train_batch_size", state.batch_size},
                     {"trial_name", nullptr},
                     {"trial_params", nullptr}};
  return io::indented_text(text);
}

Json own_state_in(const std::filesystem::path& checkpoint) {
  std::ifstream in(checkpoint / kTrainerStateFile);
  const Json state = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  const bool has_callbacks = state.is_object() && state.contains(kCallbacks) && state[kCallbacks].is_object();
  return has_callbacks ? state[kCallbacks].value(kOwn, Json()) : Json();
}

}  // namespace portatune::run
