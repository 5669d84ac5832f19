#include "portatune/analysis/report/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"

namespace portatune::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaxBytes = 1 << 30;

[[noreturn]] void reject(const std::string& where, const std::string& line) {
  throw DataError({.where = where,
                   .given = in_quotes(line),
                   .expected = R"(an object of numbers with the step: {"step":10,"loss":0.6812})",
                   .fix = "remove the line"});
}

// Drops what an earlier attempt of the run wrote after the checkpoint from which it was resumed.
void drop_after(int64_t step, std::map<std::string, Curve>& curves) {
  for (auto& [name, curve] : curves) std::erase_if(curve, [step](const Point& point) { return point.step > step; });
  std::erase_if(curves, [](const auto& entry) { return entry.second.empty(); });
}

bool is_evaluation(const Json& line) {
  return std::ranges::any_of(line.items(), [](const auto& item) { return item.key().starts_with("eval_"); });
}

// Adds a line; returns false if it is not one of a log.
bool add(const Json& line, RunLog& log) {
  const auto step = line.find("step");
  if (step == line.end() || !step->is_number_integer()) return false;
  const int64_t at = step->get<int64_t>();
  if (line.contains("resumed")) {
    drop_after(at, log.training);
    drop_after(at, log.evaluation);
    log.resumptions.push_back(at);
    return true;
  }
  std::map<std::string, Curve>& curves = is_evaluation(line) ? log.evaluation : log.training;
  for (const auto& [name, value] : line.items()) {
    if (name == "step") continue;
    if (!value.is_number() && !value.is_null()) return false;
    curves[name].push_back({at, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>()});
  }
  return true;
}

}  // namespace

RunLog read_log(const std::filesystem::path& file) {
  std::string text = io::read_text(file, kMaxBytes);
  text.resize(text.rfind('\n') + 1);  // a run that is under way may be writing the last line
  std::istringstream lines(std::move(text));
  RunLog log;
  std::string line;
  for (int64_t number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("{}:{}", file.string(), number);
    bool is_valid = false;
    try {
      is_valid = add(io::parse_json_object(line, where), log);
    } catch (const CheckpointError&) {  // no JSON object
    }
    if (!is_valid) reject(where, line);
  }
  return log;
}

}  // namespace portatune::report
