#include "portatune/train/checkpoint/run_record.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/io/file/file.h"

namespace portatune::train {
namespace {

constexpr int64_t kRecordFormat = 1;

}  // namespace

void write_run_record(const std::filesystem::path& folder, const RunRecord& record) {
  nlohmann::ordered_json text = {{"format", kRecordFormat},
                                 {"steps", record.steps},
                                 {"stopped_early", record.stopped_early},
                                 {"initial_scores", json_of(record.initial_scores)},
                                 {"run", record.run},
                                 {"machine", record.machine},
                                 {"deviations", record.deviations}};
  if (record.planned_steps > 0) text["planned_steps"] = record.planned_steps;
  io::write_file(folder / kRunRecordFile, io::indented_text(text));
}

std::optional<RunRecord> find_run_record(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kRunRecordFile;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const io::JsonObject record = io::JsonObject::read(file);
  record.get_int("format", {kRecordFormat, kRecordFormat});
  return RunRecord{.steps = record.get_int("steps", {.least = 1}),
                   .stopped_early = record.get_bool_or("stopped_early", false),
                   .planned_steps = record.has("planned_steps") ? record.get_int("planned_steps", {.least = 1}) : 0,
                   .run = record.get_string_map("run"),
                   .machine = record.get_string_map("machine"),
                   .deviations = record.get_strings("deviations"),
                   .initial_scores = scores_of(record, "initial_scores")};
}

nlohmann::ordered_json json_of(const Scores& scores) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, value] : scores) list.push_back({{"name", name}, {"value", value}});
  return list;
}

Scores scores_of(const io::JsonObject& object, std::string_view key) {
  Scores scores;
  for (const io::JsonObject& score : object.get_objects(key)) {
    scores.emplace_back(score.get_string("name"),
                        score.get_float_or("value", std::numeric_limits<double>::quiet_NaN()));
  }
  return scores;
}

}  // namespace portatune::train
