#include "portatune/analysis/report/evaluations.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "portatune/base/text/number.h"

namespace portatune::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kCheckpoint = "checkpoint-";

// The best step of a file of transformers' TrainerState; nothing if there is no such file.
std::optional<int64_t> best_step_in(const fs::path& file) {
  std::ifstream in(file);
  const Json state = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!state.is_object()) return std::nullopt;
  const auto step = state.find("best_global_step");
  return step != state.end() && step->is_number_integer() ? step->get<int64_t>() : 0;
}

bool has(const Json& object, const char* key, bool (Json::*is_of_type)() const noexcept) {
  return object.is_object() && object.contains(key) && (object.at(key).*is_of_type)();
}

bool is_list(const Json& object, const char* key, bool (*is_element)(const Json&)) {
  return has(object, key, &Json::is_array) && std::ranges::all_of(object.at(key), is_element);
}

bool is_class(const Json& element) { return has(element, "support", &Json::is_number); }

bool is_confusion(const Json& element) { return element.is_array() && element.size() == 3; }

bool is_mistake(const Json& element) {
  return has(element, "file", &Json::is_string) && has(element, "row", &Json::is_number_integer);
}

bool is_saved_evaluation(const Json& line) {
  return has(line, "step", &Json::is_number_integer) && has(line, "set", &Json::is_string) &&
         is_list(line, "classes", is_class) && is_list(line, "confusions", is_confusion) &&
         is_list(line, "mistakes", is_mistake);
}

}  // namespace

std::vector<int64_t> saved_steps(const fs::path& folder) {
  std::vector<int64_t> steps;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with(kCheckpoint)) continue;
    if (const auto step = number_in<int64_t>(name.substr(kCheckpoint.size()))) steps.push_back(*step);
  }
  std::ranges::sort(steps);
  return steps;
}

int64_t best_step(const fs::path& folder) {
  constexpr const char* kState = "trainer_state.json";
  if (const auto step = best_step_in(folder / kState)) return *step;
  const std::vector<int64_t> saved = saved_steps(folder);
  if (saved.empty()) return 0;
  return best_step_in(folder / (std::string(kCheckpoint) + std::to_string(saved.back())) / kState).value_or(0);
}

std::vector<Json> shown_evaluations(const fs::path& folder) {
  std::vector<Json> lines;
  std::ifstream in(folder / kEvaluationsFile);
  for (std::string text; std::getline(in, text);) {
    Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (is_saved_evaluation(line)) lines.push_back(std::move(line));
  }
  if (lines.empty()) return lines;
  const int64_t last = lines.back()["step"], best = best_step(folder);
  std::erase_if(lines, [&](const Json& line) { return line["step"] != last && line["step"] != best; });
  return lines;
}

}  // namespace portatune::report
