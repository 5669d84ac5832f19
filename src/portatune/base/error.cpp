#include "portatune/error.h"

#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/url_secrets.h"

namespace portatune {
namespace {

void append_part(std::string& message, const char* label, const std::string& text) {
  if (text.empty()) return;
  if (!message.empty()) message += '\n';
  message += label;
  message += text;
}

std::string format(const Report& report, const std::string& context) {
  std::string message = report.where;
  append_part(message, "  given     ", report.given);
  append_part(message, "  expected  ", report.expected);
  append_part(message, "  fix       ", report.fix);
  append_part(message, "  in        ", context);
  return message;
}

// Sanitises every message, because messages reach terminals, logs and checkpoints.
std::string shown(const std::string& text) { return printable(without_secrets(text)); }

Report shown(const Report& report) {
  return {.where = shown(report.where),
          .given = shown(report.given),
          .expected = shown(report.expected),
          .fix = shown(report.fix)};
}

}  // namespace

Error::Error(Report report) : report_(shown(report)), message_(format(report_, {})) {}

void Error::set_where(std::string where) {
  report_.where = shown(where);
  message_ = format(report_, context_);
}

void Error::set_context(const std::string& context) {
  if (!context_.empty()) return;
  context_ = shown(context);
  message_ = format(report_, context_);
}

}  // namespace portatune
