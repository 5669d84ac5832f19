#include "portatune/chat/dates.h"

#include <array>
#include <cstdio>

#include "portatune/error.h"

namespace portatune::chat {

std::tm time_of(const std::string& date) {
  std::tm time{};
  if (date.empty()) {
    const std::time_t now = std::time(nullptr);
    localtime_r(&now, &time);
    return time;
  }
  char rest = 0;
  int year = 0, month = 0, day = 0;
  const bool is_read = std::sscanf(date.c_str(), "%4d-%2d-%2d%c", &year, &month, &day, &rest) == 3;
  time.tm_year = year - 1900, time.tm_mon = month - 1, time.tm_mday = day;
  timegm(&time);  // sets the day of the week; a date that does not exist becomes another one
  if (!is_read || time.tm_year != year - 1900 || time.tm_mon != month - 1 || time.tm_mday != day) {
    throw UsageError({.where = "date", .given = "\"" + date + "\"", .expected = "a date such as 2026-11-21"});
  }
  return time;
}

std::string today() {
  const std::tm now = time_of({});
  std::array<char, 16> text{};
  return std::string(text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &now));
}

}  // namespace portatune::chat
