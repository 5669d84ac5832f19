#include "portatune/base/one_line.h"

#include <algorithm>

#include "portatune/base/printable.h"

namespace portatune {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

}  // namespace

std::string one_line(const Report& report) {
  std::string line = report.where;
  if (!line.empty() && !report.given.empty()) line += ": ";
  line += report.given;
  if (!report.expected.empty()) line += (line.empty() ? "expected " : ", expected ") + report.expected;
  std::ranges::replace_if(line, is_control, ' ');
  return printable(line);
}

}  // namespace portatune
