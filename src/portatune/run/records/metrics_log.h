// metrics.jsonl: the numbers of a run, a JSON object per line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "portatune/run/records/append_file.h"

namespace portatune::run {

using Json = nlohmann::ordered_json;

/// A number with the digits of float32, the type of the device's numbers; null if it is not finite.
Json number(double value);

/// The lines of a log up to this step, in their order. Skips lines that are no objects with a step, such as the last
/// line of a killed run. Empty if there is no file.
/// errors  IoError
std::vector<Json> lines_until(const std::filesystem::path& file, int64_t step);

class MetricsLog {
 public:
  /// Replaces the file by these lines.
  /// errors  IoError, NotFoundError if the folder is missing
  MetricsLog(const std::filesystem::path& file, std::vector<Json> lines);

  /// Adds a line. If it cannot be written, lines() have it nevertheless.
  /// errors  IoError
  void add(Json line);
  const std::vector<Json>& lines() const { return lines_; }

 private:
  std::vector<Json> lines_;
  AppendFile file_;
};

}  // namespace portatune::run
