#include "portatune/run/records/metrics_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/files/output_file.h"
#include "portatune/base/text/number.h"
#include "portatune/io/text/json.h"

namespace portatune::run {
namespace {

const std::filesystem::path& write_lines(const std::filesystem::path& path, const std::vector<Json>& lines) {
  AtomicFile file(path);
  for (const Json& line : lines) file.write(io::line_of(line));
  file.commit();
  return path;
}

bool has_step_until(const Json& line, int64_t step) {
  return line.is_object() && line.contains("step") && line["step"].is_number_integer() &&
         line["step"].get<int64_t>() <= step;
}

}  // namespace

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return *number_in<double>(fmt::format("{}", static_cast<float>(value)));
}

std::vector<Json> lines_until(const std::filesystem::path& file, int64_t step) {
  std::vector<Json> lines;
  errno = 0;
  std::ifstream in(file);
  if (!in.is_open() && !std::filesystem::exists(file)) return lines;
  for (std::string text; std::getline(in, text);) {
    Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (has_step_until(line, step)) lines.push_back(std::move(line));
  }
  // The caller may replace the file by these lines, so they must be all.
  if (!in.is_open() || in.bad()) throw_system_error("read", file, errno == 0 ? EIO : errno);
  return lines;
}

MetricsLog::MetricsLog(const std::filesystem::path& file, std::vector<Json> lines)
    : lines_(std::move(lines)), file_(write_lines(file, lines_)) {}

void MetricsLog::add(Json line) {
  const std::string text = io::line_of(line);
  lines_.push_back(std::move(line));
  file_.append(text);
}

}  // namespace portatune::run
